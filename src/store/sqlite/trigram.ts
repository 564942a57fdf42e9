/** A trigram index finds keywords of at least this many code points. */
export const TRIGRAM = 3;

/** The keyword as an FTS5 string: every character stands for itself (https://sqlite.org/fts5.html, 3.1). */
export function phrase(keyword: string): string {
  return `"${keyword.replaceAll('"', '""')}"`;
}
