/** Is it a line of the log that tells of a busy machine only? Any request and any operation may be slow there. */
export function isSlowLine(line: string): boolean {
  return /"msg":"slow (request|operation)"/.test(line);
}
