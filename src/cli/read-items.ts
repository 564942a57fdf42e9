import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Failure } from '../domain/failure.ts';
import { reasonOf } from '../domain/reason.ts';
import type { ReadItem } from '../transfer/content/import.ts';
import { type Members, portableItem } from '../transfer/content/item-contract.ts';
import { MOST_LINE, readLine } from '../transfer/content/line-contract.ts';
import { MOST_FILE, readMarkdown } from '../transfer/content/markdown-contract.ts';
import { BadItem } from '../transfer/content/portable-item.ts';
import { linesOf } from '../transfer/lines.ts';
import type { FoundFile } from './files.ts';

const MARKDOWN = ['.md', '.markdown'];
export const LINES = ['.ndjson', '.jsonl'];
/** The endings of files that have items. */
export const ENDINGS: ReadonlySet<string> = new Set([...MARKDOWN, ...LINES]);

/** Nothing reads through a link that took the place of a file. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW;

interface Reading {
  /** The author of all items; undefined where each names its own. */
  readonly author: string | undefined;
  /** What tells a file from all others, for this and later imports. */
  readonly keyOf: (file: FoundFile) => string;
}

/** An item of a file, or why there is none. */
export interface Read {
  /** From 1. */
  readonly line: number;
  /** Bytes that were read for it. */
  readonly bytes: number;
  readonly item: ReadItem | undefined;
  readonly refusal: string;
}

/** The items of a file, one by one. */
export async function* itemsOf(file: FoundFile, reading: Reading): AsyncGenerator<Read> {
  const opened = await openFile(file);
  if ('refusal' in opened) {
    yield { line: 1, bytes: file.bytes, item: undefined, ...opened };
    return;
  }
  await using handle = opened;
  if (LINES.includes(extname(file.path).toLowerCase())) yield* itemsOfLines(file, handle, reading);
  else yield await itemOfMarkdown(file, handle, reading);
}

async function openFile({ path, refusal }: FoundFile): Promise<FileHandle | { readonly refusal: string }> {
  if (refusal !== undefined) return { refusal };
  try {
    return await open(path, FLAGS);
  } catch (error) {
    return { refusal: `The file cannot be read: ${reasonOf(error)}.` };
  }
}

async function* itemsOfLines(
  file: FoundFile,
  handle: FileHandle,
  { author, keyOf }: Reading,
): AsyncGenerator<Read> {
  let reached = 0;
  const input = handle.createReadStream({ autoClose: false });
  for await (const { number: line, bytes, end } of linesOf(input, MOST_LINE)) {
    const read = { line, bytes: end - reached };
    reached = end;
    if (bytes?.toString('latin1').trim() === '') continue;
    yield bytes
      ? readOne(bytes, read, () => {
          const members = readLine(bytes);
          // A line without an id is known by what it says.
          const key = JSON.stringify([keyOf(file), members.id ?? hash('sha256', bytes)]);
          return { members, key, author };
        })
      : { ...read, item: undefined, refusal: `The line is longer than ${MOST_LINE} bytes.` };
  }
}

async function itemOfMarkdown(
  file: FoundFile,
  handle: FileHandle,
  { author, keyOf }: Reading,
): Promise<Read> {
  const read = { line: 1, bytes: file.bytes };
  const { size } = await handle.stat();
  if (size > MOST_FILE) return { ...read, item: undefined, refusal: 'The file has more than 1 MiB of text.' };
  const bytes = await handle.readFile();
  return readOne(bytes, read, () => {
    const { members, lineOf } = readMarkdown(bytes, basename(file.path), Date.now());
    return { members, key: JSON.stringify([keyOf(file)]), author, lineOf };
  });
}

interface Parsed {
  readonly members: Members;
  readonly key: string;
  readonly author: string | undefined;
  readonly lineOf?: (name: string) => number;
}

function readOne(bytes: Buffer, read: Pick<Read, 'line' | 'bytes'>, parse: () => Parsed): Read {
  let lineOf: Parsed['lineOf'];
  try {
    const { members, key, author, ...parsed } = parse();
    lineOf = parsed.lineOf;
    const item = portableItem(members, author, Date.now());
    const [source, fingerprint] = [hash('sha256', key), hash('sha256', bytes)];
    return { ...read, item: { ...item, source, fingerprint }, refusal: '' };
  } catch (error) {
    if (error instanceof BadItem)
      return { ...read, line: read.line + error.line - 1, item: undefined, refusal: error.message };
    if (!(error instanceof Failure)) throw error;
    const [name = ''] = error.data.fields?.[0]?.field.split('.') ?? [];
    return { ...read, line: lineOf?.(name) ?? read.line, item: undefined, refusal: error.message };
  }
}
