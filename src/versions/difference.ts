import { type Change, diffLines, diffWordsWithSpace } from 'diff';

/** Milliseconds for the lines of two texts, and for the words of all changed lines together. */
const LINES_MS = 500;
const WORDS_MS = 500;
/** UTF-16 units of all texts of a difference. */
const MOST = 128 * 1024;
/** Of a longer text that both have, between changes of one place, only so much is told at either end. */
const CONTEXT = 100;

export interface Texts {
  readonly from: string;
  readonly to: string;
  /** Compares no lines and words: all is told as changed between the first and the last line that differ. */
  readonly isCoarse?: boolean;
}

/** `skipped` stands for so many UTF-16 units that both have. */
export type Part =
  | { readonly kind: 'same' | 'removed' | 'added'; readonly text: string }
  | { readonly kind: 'skipped'; readonly length: number };

/** One place where lines differ: the numbers of its first lines, from 1 on, and what differs in them. */
export interface Place {
  readonly from_line: number;
  readonly to_line: number;
  readonly parts: readonly Part[];
}

export interface Difference {
  readonly places: readonly Place[];
  /** True where there is more than fits. */
  readonly isCut: boolean;
}

/**
 * The lines in which two texts differ, and the words within them. Where the texts are too different to be compared in
 * time, lines or words are told as changed that are not. Ends about a second after it began.
 */
export function differenceOf({ from, to, isCoarse = false }: Texts): Difference {
  const places: Place[] = [];
  const until = performance.now() + (isCoarse ? 0 : LINES_MS + WORDS_MS);
  let [fromLine, toLine, left] = [1, 1, MOST];
  for (const { same, removed, added } of blocksOf({ from, to, isCoarse })) {
    fromLine += linesIn(same);
    toLine += linesIn(same);
    if (removed === '' && added === '') continue;
    const parts: Part[] = [];
    for (const part of partsOf(removed, added, until)) {
      const cut = cutTo(part, left);
      if (cut) parts.push(cut);
      if (cut !== part)
        return { places: [...places, { from_line: fromLine, to_line: toLine, parts }], isCut: true };
      left -= sizeOf(part);
    }
    places.push({ from_line: fromLine, to_line: toLine, parts });
    fromLine += linesIn(removed);
    toLine += linesIn(added);
  }
  return { places, isCut: false };
}

/** Lines that both have, and those that follow in each until both have lines again. */
interface Block {
  readonly same: string;
  readonly removed: string;
  readonly added: string;
}

function blocksOf({ from, to, isCoarse }: Texts): Block[] {
  const changes = isCoarse ? undefined : diffLines(from, to, { timeout: LINES_MS });
  if (!changes) return [trimmed(from, to)];
  const blocks: { same: string; removed: string; added: string }[] = [];
  for (const { value, removed, added } of changes) {
    const last = blocks.at(-1);
    if (!removed && !added) blocks.push({ same: value, removed: '', added: '' });
    else if (!last) blocks.push({ same: '', removed: removed ? value : '', added: added ? value : '' });
    else if (removed) last.removed += value;
    else last.added += value;
  }
  return blocks;
}

/** All between the lines that both texts begin with and those that they end with. */
function trimmed(from: string, to: string): Block {
  let start = 0;
  while (start < from.length && from[start] === to[start]) start++;
  // Looking back from before the first character would find a line feed there.
  start = start === 0 ? 0 : from.lastIndexOf('\n', start - 1) + 1;
  let end = 0;
  const most = Math.min(from.length, to.length) - start;
  while (end < most && from[from.length - 1 - end] === to[to.length - 1 - end]) end++;
  const line = from.indexOf('\n', from.length - end);
  end = line === -1 || end === 0 ? 0 : from.length - line - 1;
  return {
    same: from.slice(0, start),
    removed: from.slice(start, from.length - end),
    added: to.slice(start, to.length - end),
  };
}

function partsOf(removed: string, added: string, until: number): Part[] {
  const timeout = until - performance.now();
  const words = removed && added && timeout > 0 ? diffWordsWithSpace(removed, added, { timeout }) : undefined;
  if (words) return words.flatMap(partsOfChange);
  const whole: Part[] = [
    { kind: 'removed', text: removed },
    { kind: 'added', text: added },
  ];
  return whole.filter((part) => sizeOf(part) > 0);
}

function partsOfChange({ value, removed, added }: Change): Part[] {
  if (removed) return [{ kind: 'removed', text: value }];
  if (added) return [{ kind: 'added', text: value }];
  if (value.length <= 4 * CONTEXT) return [{ kind: 'same', text: value }];
  const [start, end] = [wholeTo(value, CONTEXT), wholeTo(value, value.length - CONTEXT)];
  return [
    { kind: 'same', text: value.slice(0, start) },
    { kind: 'skipped', length: end - start },
    { kind: 'same', text: value.slice(end) },
  ];
}

function sizeOf(part: Part): number {
  return part.kind === 'skipped' ? 0 : part.text.length;
}

/** The part itself where it fits; undefined where nothing of it does. */
function cutTo(part: Part, length: number): Part | undefined {
  if (part.kind === 'skipped' || part.text.length <= length) return part;
  const end = wholeTo(part.text, length);
  return end === 0 ? undefined : { ...part, text: part.text.slice(0, end) };
}

/** The index, or the one before where the index is within a surrogate pair. */
function wholeTo(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}

function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
