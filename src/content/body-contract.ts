import { type Static, Type } from 'typebox';
import { listed, membersListed } from '../domain/listed.ts';
import { trimmedTags } from '../domain/tags.ts';
import { rulesFor, select } from '../store/fields.ts';
import { isEmptiedByNull, rulesPatched } from '../store/fields-patched.ts';
import { MAX_CONTENT_BYTES } from './excerpt.ts';
import { LABEL_LENGTH } from './field-rules.ts';
import { CONTENT_FIELDS } from './fields.ts';

/** The members that a client sends, with the bounds of docs/decisions/content.md. */
const members = rulesFor(CONTENT_FIELDS, 'author', Type);

const SIZE =
  'As JSON it has at most 2 MiB and 64 KiB, and 10,000 brackets and commas. Long texts are best sent as UTF-8, without `\\u` escapes.';
export const ContentInput = Type.Object(members, {
  $id: 'ContentInput',
  description: `A new content item. ${SIZE}`,
});
/**
 * Not `minProperties`, which an unknown member would satisfy. In an `allOf`, because generators of types read an `anyOf`
 * with properties as another kind of body.
 */
export const atLeastOne = {
  allOf: [{ anyOf: Object.keys(members).map((name) => ({ required: [name] })) }],
};
export const ContentChange = Type.Partial(Type.Object(members), {
  $id: 'ContentChange',
  description: `The members to change; at least one. The others stay as they are. ${SIZE}`,
  examples: [{ title: 'Hello again' }],
  ...atLeastOne,
});

const emptied = select(CONTENT_FIELDS, isEmptiedByNull);
const isChoice = ([name]: readonly [string, unknown]) => Object.hasOwn(Object(Object(members)[name]), 'enum');
const taken = emptied.filter((each) => !isChoice(each)).map(([name]) => name);
const reset = emptied.filter(isChoice).map(([name, { otherwise }]) => `\`${name}\` ${otherwise}`);
const patched = rulesPatched(CONTENT_FIELDS, 'author', Type);

/** The same members for a JSON Merge Patch. Null makes a column what a new item has `otherwise`. */
export const ContentPatch = Type.Partial(
  Type.Object({
    ...patched,
    meta: Type.Optional({
      ...patched.meta,
      description: 'A merge patch of `meta`: what it names is changed, and taken away where it is null.',
    }),
  }),
  {
    $id: 'ContentPatch',
    description: `The members to change. The others stay as they are. Null takes ${membersListed(taken, 'or')} away, and makes ${listed(reset)}.`,
    examples: [{ title: 'Hello again', category: null }],
  },
);
export type ContentPatch = Static<typeof ContentPatch>;

/** The texts of a body, which count for what an account may write. */
export function textsOf(body: ContentPatch): string[] {
  const known = Object.entries(body).filter(([name]) => name in members);
  return known
    .flatMap(([, value]): unknown => value)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

/** Trims the tags of a body in place, before its schema is checked. Leaves a body of another shape as it is. */
export function normaliseTags(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('tags' in body) || !Array.isArray(body.tags)) return;
  body.tags = trimmedTags(body.tags, LABEL_LENGTH);
}

/**
 * Bytes of JSON. The longest content fits when each of its characters is escaped by a backslash. Each further byte would
 * lengthen the turn in which the largest body is parsed (12 ms).
 */
export const MOST_BODY = 2 * MAX_CONTENT_BYTES + 64 * 1024;

/**
 * Brackets and commas of JSON. All but `meta` have 42 at most, and its 16 KiB may be thousands of numbers. So a request of
 * many items has no more than one item may.
 */
export const MOST_PARTS = 10_000;

/** Options of the routes that take an item. Their `bodyParts` is MOST_PARTS. */
export const takesContent = {
  bodyLimit: MOST_BODY,
  preValidation: async (request: { body: unknown }) => normaliseTags(request.body),
};
