import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  LineCounter,
  parseDocument,
  stringify,
  visit,
} from 'yaml';
import type { Members } from './item-contract.ts';
import { BadItem } from './portable-item.ts';
import { afterLikeOpening, jsonNamesKeptBack, namesKeptBack } from './unread-matter.ts';

/** Characters of a front matter. A longer text between two rules is a text. */
const MOST = 64 * 1024;
/** Deeper than any `meta` may be. */
const MAX_DEPTH = 16;
/** Values that aliases may stand for, together. */
const MOST_ALIASES = 100;

/** An empty front matter is one too. */
const IF_TEXT = 'If it is text, put two lines of three hyphens before it.';
const NO_END = `The front matter has no end, or is longer than 64 KiB; end it with a line of three hyphens. ${IF_TEXT}`;
const NO_BEGINNING = `The front matter must begin with a line of three hyphens, the first line of the file, and then have names with values. ${IF_TEXT}`;
const NOT_YAML = `A front matter in TOML or JSON is not read; write it in YAML, between two lines of three hyphens. ${IF_TEXT}`;
const TOO_DEEP = 'The front matter is nested too deep.';

const OPENING = /^\uFEFF?---[ \t]*\r?\n/;
const CLOSING = /\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
/** A line that gives a value its name, as the first one of a front matter does. */
const NAMED = /^[ \t]*(?:[?{][ \t]*)?(?:(["'])[\w-]+\1[ \t]*:|[\w-]+[ \t]*:(?:\s|$))/;
/** The openings of Hugo for TOML and for JSON. */
const TOML = /^\s*\+\+\+[ \t]*(?:[\r\n]|$)/;
const JSON_OBJECT = /^\s*\{\s*"/;

/** What stands between the two lines of hyphens at the beginning of a file. */
export interface FrontMatter {
  readonly values: Members;
  /** The line of the file that has the value of this name; the first one where there is none. */
  readonly lineOf: (name: string) => number;
}

/**
 * Takes the front matter from a text. Undefined where the text has none: two lines of hyphens may as well stand around
 * something else. Fails with BadItem where it cannot be read.
 */
export function takeFrontMatter(text: string): { matter: FrontMatter | undefined; rest: string } {
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined) {
    if (TOML.test(text) || (JSON_OBJECT.test(text) && jsonNamesKeptBack(text))) throw new BadItem(NOT_YAML);
    if (namesKeptBack(afterLikeOpening(text) ?? '')) throw new BadItem(NO_BEGINNING);
    return { matter: undefined, rest: text };
  }
  // The line break of the opening may be that before the closing.
  const begin = opening.length - 1;
  const closing = CLOSING.exec(text.slice(begin, begin + MOST));
  if (!closing) {
    // Its status and visibility would be text, and the item public.
    const after = text.slice(opening.length);
    if (NAMED.test(after) || namesKeptBack(after)) throw new BadItem(NO_END);
    return { matter: undefined, rest: text };
  }
  const yaml = text.slice(begin + 1, Math.max(begin + 1, begin + closing.index + 1));
  const matter = read(yaml);
  if (!matter) {
    if (namesKeptBack(yaml)) throw new BadItem(NO_BEGINNING);
    return { matter: undefined, rest: text };
  }
  return { matter, rest: text.slice(begin + closing.index + closing[0].length) };
}

/** YAML 1.2 with the core schema only: no tag makes anything but a text, a number, a list or a map. */
function read(yaml: string): FrontMatter | undefined {
  const counter = new LineCounter();
  const lineAt = (offset = 0) => counter.linePos(offset).line + 1;
  const document = parse(yaml, counter);
  const { contents } = document;
  if (contents !== null && !isMap(contents) && !(isScalar(contents) && contents.value === null))
    return undefined;
  // Other warnings are about the look of the text.
  const unknownTags = document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED');
  const [problem] = [...document.errors, ...unknownTags];
  if (problem) throw new BadItem(sentenceOf(problem.message), lineAt(problem.pos[0]));
  visit(document, {
    Pair: (_, { key }) => {
      if (isCollection(key))
        throw new BadItem(
          'A list or a map is no name in a front matter; put it in quotes.',
          lineAt(key.range?.[0]),
        );
    },
  });
  const lines = new Map<string, number>();
  for (const { key } of isMap(contents) ? contents.items : [])
    if (isScalar(key)) lines.set(String(key.value), lineAt(key.range?.[0]));
  const lineOf = (name: string) => lines.get(name) ?? 1;
  const plainOf = ([name, value]: [string, unknown]) => {
    try {
      return [name, plain(value)];
    } catch (error) {
      throw error instanceof BadItem ? new BadItem(`${name} ${error.message}`, lineOf(name)) : error;
    }
  };
  // `fromEntries` makes a member of "__proto__" too, which is refused later.
  const values = Object.fromEntries(Object.entries(valuesOf(document)).map(plainOf));
  return { values, lineOf };
}

function parse(yaml: string, lineCounter: LineCounter): Document.Parsed {
  try {
    return parseDocument(yaml, {
      version: '1.2',
      schema: 'core',
      merge: false,
      resolveKnownTags: false,
      intAsBigInt: true,
      prettyErrors: false,
      lineCounter,
    });
  } catch (error) {
    if (error instanceof RangeError) throw new BadItem(TOO_DEEP);
    throw error;
  }
}

function valuesOf(document: Document.Parsed): Members {
  try {
    return Object(document.toJS({ maxAliasCount: MOST_ALIASES }));
  } catch (error) {
    if (error instanceof ReferenceError) throw new BadItem(refusalOfAliases(error));
    if (error instanceof RangeError) throw new BadItem(TOO_DEEP);
    throw error;
  }
}

function refusalOfAliases({ message }: ReferenceError): string {
  if (!message.startsWith('Excessive')) return sentenceOf(message);
  return `The aliases of the front matter stand for more than ${MOST_ALIASES} values.`;
}

/** The value as JSON has it. A number that would come back as another one is refused. */
function plain(value: unknown, depth = 1): unknown {
  if (typeof value === 'bigint') {
    if (String(Number(value)) !== String(value))
      throw new BadItem('has a number that is too large; put it in quotes.');
    return Number(value);
  }
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new BadItem('has a number that JSON has not; put it in quotes.');
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) throw new BadItem(`is nested more than ${MAX_DEPTH} deep.`);
  if (Array.isArray(value)) return value.map((each) => plain(each, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each, depth + 1)]));
}

/** The library may report that it ran out of stack as a mistake of the text, which it is. */
function sentenceOf(message: string): string {
  if (message.includes('call stack')) return TOO_DEEP;
  const [first = ''] = message.split('\n');
  return `The front matter is no YAML: ${first.replace(/[.:]?$/, '')}.`;
}

/**
 * Writes a front matter with its two lines. Texts are in quotes, so that YAML 1.1 reads them as texts too. Where a line
 * for each value makes it longer than an import takes, brackets keep it short: `meta` is never too long for them.
 */
export function writeFrontMatter(values: Members): string {
  const matter = between('any', values);
  return matter.length <= MOST ? matter : between('flow', values);
}

function between(collectionStyle: 'any' | 'flow', values: Members): string {
  const yaml = stringify(values, {
    version: '1.2',
    schema: 'core',
    collectionStyle,
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
  return `---\n${yaml}---\n`;
}
