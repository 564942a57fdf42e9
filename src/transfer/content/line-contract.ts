import { MOST_PARTS } from '../../content/body-contract.ts';
import { MAX_CONTENT_BYTES } from '../../content/excerpt.ts';
import { Failure } from '../../domain/failure.ts';
import { parseJson } from '../../http/json.ts';
import type { ExportedItem } from './export.ts';
import type { Members } from './item-contract.ts';
import { BadItem } from './portable-item.ts';

/** Bytes of a line, which has an item and the draft beside it. The JSON of a character has six bytes at most. */
export const MOST_LINE = 2 * (6 * MAX_CONTENT_BYTES + 256 * 1024);

/** Writes an item as one line: a JSON object (NDJSON). */
export function writeLine({ members, author, draft }: ExportedItem): string {
  return `${JSON.stringify({ ...members, author, draft })}\n`;
}

/** Reads such a line as strictly as the body of a request. Fails with BadItem. */
export function readLine(line: Buffer): Members {
  try {
    const value = parseJson(line, undefined, 2 * MOST_PARTS);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new BadItem(error.message.replace(/\bbody\b/g, 'line'));
  }
  throw new BadItem('The line must be one JSON object.');
}
