import type { Trigram } from '../trigrams.ts';

/** The keyword as an FTS5 string: every character stands for itself (https://sqlite.org/fts5.html, 3.1). */
export function phrase(keyword: string): string {
  return `"${keyword.replaceAll('"', '""')}"`;
}

/**
 * An FTS5 query for texts that have all of these trigrams as near to one another as the keyword has
 * them: all that contain the keyword, and few others.
 */
export function near(trigrams: readonly Trigram[]): string {
  const places = trigrams.map(({ place }) => place);
  const span = Math.max(...places) - Math.min(...places);
  return `NEAR(${trigrams.map(({ text }) => phrase(text)).join(' ')}, ${span})`;
}
