import { isUtf8 } from 'node:buffer';
import { ContentInput, MOST_PARTS } from '../../content/body-contract.ts';
import { MAX_CONTENT_BYTES } from '../../content/excerpt.ts';
import { Failure } from '../../domain/failure.ts';
import { parseJson } from '../../http/json.ts';
import type { ExportedItem } from './export.ts';
import { type FrontMatter, takeFrontMatter, writeFrontMatter } from './front-matter.ts';
import type { Members } from './item-contract.ts';
import { isDeciding, keptBack } from './kept-back.ts';
import { BadItem } from './portable-item.ts';
import { titleOf } from './title.ts';

/** Bytes of a file: the longest text, and a front matter. */
export const MOST_FILE = MAX_CONTENT_BYTES + 256 * 1024;

/** What an author sets, and a front matter may name. */
const { content: _, meta: __, ...KNOWN } = ContentInput.properties;
/** The name in a front matter under which an export keeps what is Stoa's. */
const OWN = 'stoa';

/** The members of what an export keeps there that an import takes. */
const TAKEN = ['created_at', 'updated_at', 'old_slugs', 'trashed_at'];

/** A file as an item, and where its members are in it. */
export interface ReadFile {
  readonly members: Members;
  readonly lineOf: FrontMatter['lineOf'];
}

/**
 * Reads a Markdown file. What its front matter says by the name of a member, and of the type of that member, is the
 * member. All else is in `meta`. The text is what follows, to the byte. Fails with BadItem.
 */
export function readMarkdown(bytes: Buffer, fileName: string, now: number): ReadFile {
  if (!isUtf8(bytes)) throw new BadItem('The file is not valid UTF-8.');
  const text = bytes.toString('utf8');
  const nul = text.indexOf('\u0000');
  if (nul !== -1) throw new BadItem('The file has a NUL.', text.slice(0, nul).split('\n').length);
  const { matter, rest: content } = takeFrontMatter(text);
  if (!matter) return { members: { title: titleOf(content, fileName), content }, lineOf: () => 1 };
  const { values, lineOf } = matter;
  const own = values[OWN];
  const isOwn = isObject(own) && typeof own.id === 'number';
  const named = Object.entries(values).filter(([name]) => !isOwn || name !== OWN);
  const members = named.filter(([name, value]) => isMember(name, value));
  const meta = named.filter(([name, value]) => !isMember(name, value));
  for (const [name, value] of meta) {
    const reason = keptBack(name, value, (each) => Object.hasOwn(values, each), now);
    if (reason !== undefined) throw new BadItem(reason, lineOf(name));
  }
  const title = isPlain(values.title) ? String(values.title) : titleOf(content, fileName);
  return {
    members: storable({
      title,
      ...Object.fromEntries(members),
      meta: { ...Object.fromEntries(meta), ...(isOwn && isObject(own.meta) && own.meta) },
      ...(isOwn && ownMembers(own)),
      content,
    }),
    lineOf,
  };
}

function ownMembers(own: Members): Members {
  const taken = TAKEN.filter((name) => own[name] !== undefined).map((name) => [name, own[name]]);
  const { author } = own;
  return { ...Object.fromEntries(taken), ...(author !== undefined && { author: { username: author } }) };
}

/** Writes an item as a Markdown file, from which `readMarkdown` makes the same members. */
export function writeMarkdown({ members, author }: ExportedItem): string {
  const { content, meta = {}, ...others } = members;
  const known = Object.entries(others).filter(
    ([name, value]) => Object.hasOwn(KNOWN, name) && !isEmpty(value),
  );
  const own = Object.entries(others).filter(
    ([name, value]) => !Object.hasOwn(KNOWN, name) && value !== undefined,
  );
  const names = new Set(known.map(([name]) => name));
  const isTaken = ([name, value]: [string, unknown]) =>
    name === OWN ||
    names.has(name) ||
    isMember(name, value) ||
    keptBack(name, value, (each) => names.has(each), Date.now()) !== undefined;
  const rest = Object.entries(Object(meta));
  const hidden = rest.filter(isTaken);
  const values = Object.fromEntries([...known, ...rest.filter((each) => !isTaken(each))]);
  return `${writeFrontMatter({
    ...values,
    [OWN]: {
      ...Object.fromEntries(own),
      ...(author && { author: author.username }),
      ...(hidden.length > 0 && { meta: Object.fromEntries(hidden) }),
    },
  })}${String(content)}`;
}

/** True for a value that an import takes as the member of this name: one of its type, whatever else is wrong with it. */
function isMember(name: string, value: unknown): boolean {
  return isDeciding(name) || (Object.hasOwn(KNOWN, name) && isOfType(value, Object(KNOWN)[name]));
}

function isOfType(value: unknown, { type, items }: { type?: string | string[]; items?: object }): boolean {
  if (type === undefined) return true;
  if (Array.isArray(value))
    return [type].flat().includes('array') && value.every((each) => isOfType(each, items ?? {}));
  const types = [type].flat().map((each) => (each === 'integer' ? 'number' : each));
  return types.includes(value === null ? 'null' : typeof value);
}

/** The same members, after the rules of JSON bodies for names and texts. */
function storable({ content, ...members }: Members): Members {
  try {
    return { ...Object(parseJson(Buffer.from(JSON.stringify(members)), undefined, MOST_PARTS)), content };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new BadItem(error.message.replace(/\bbody\b/g, 'front matter'));
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPlain(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}

/** What an item has that was not given. */
function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}
