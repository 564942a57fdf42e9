/** Words in many bytes each, other ones for each mark: so many bytes, or a line more. */
export function longText(mark: string, bytes: number): string {
  const lines: string[] = [];
  for (let size = 0; size < bytes; size += Buffer.byteLength(lines.at(-1) ?? ''))
    lines.push(`${mark} ${lines.length} ä \u{1F3DB} word${lines.length * 7}\n`);
  return lines.join('');
}
