import { type Static, type TSchema, Type } from 'typebox';
import { trimmedTags } from '../domain/tags.ts';
import { rulesFor } from '../store/fields.ts';
import { MAX_CONTENT_BYTES } from './excerpt.ts';
import { LABEL_LENGTH } from './field-rules.ts';
import { CONTENT_FIELDS } from './fields.ts';
import type { Meta } from './meta.ts';
import type { Visibility } from './visibility.ts';

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
export type ContentChange = Static<typeof ContentChange>;

function nullable<Value>(schema: TSchema & { type?: unknown; description?: string }) {
  return Type.Optional(Type.Unsafe<Value | null>({ ...schema, type: [schema.type, 'null'] }));
}

/** A choice that null may stand for too. */
function orNull<Schema extends TSchema & { readonly enum: readonly unknown[] }>(schema: Schema) {
  return { ...schema, enum: [...schema.enum, null] };
}

/** The same members for a JSON Merge Patch. Its description names those that take null: each is written here. */
export const ContentPatch = Type.Partial(
  Type.Object({
    ...members,
    category: nullable<string>(members.category),
    tags: nullable<string[]>(members.tags),
    language: nullable<string>(members.language),
    visibility: nullable<Visibility>(orNull(members.visibility)),
    meta: nullable<Meta>({
      ...members.meta,
      description: 'A merge patch of `meta`: what it names is changed, and taken away where it is null.',
    }),
  }),
  {
    $id: 'ContentPatch',
    description:
      'The members to change. The others stay as they are. Null takes `category`, `tags`, `language`, `meta` or `publish_at` away, and makes `visibility` public.',
    examples: [{ title: 'Hello again', category: null }],
  },
);

/** The change that a merge patch asks for, but for `meta`, which is merged inside the write. */
export function changeOf(patch: Static<typeof ContentPatch>): Omit<ContentChange, 'meta'> {
  const { category, tags, language, visibility, meta: _, ...others } = patch;
  return {
    ...others,
    ...(category !== undefined && { category: category ?? '' }),
    ...(tags !== undefined && { tags: tags ?? [] }),
    ...(language !== undefined && { language: language ?? '' }),
    ...(visibility !== undefined && { visibility: visibility ?? 'public' }),
  };
}

/** The texts of a body, which count for what an account may write. */
export function textsOf(body: Static<typeof ContentPatch>): string[] {
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
