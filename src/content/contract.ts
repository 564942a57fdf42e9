import { type Static, type TSchema, Type } from 'typebox';
import { MOST_RANGES, type Range } from '../domain/highlights.ts';
import type { FailureMembers } from '../http/failure-members.ts';
import { keywordQuery, PageQuery } from '../http/paging.ts';
import { timeQuery } from '../http/time-query.ts';
import type { Formats } from '../http/validation.ts';
import { CURSOR, WalkablePageOf } from '../http/walking.ts';
import { UserReference } from '../sessions/contract.ts';
import { type RowFor, rulesFor, schemasFor, showTo } from '../store/fields.ts';
import { EXCERPT, MAX_CONTENT_BYTES, PAGE_BYTES } from './excerpt.ts';
import { CONTENT_FIELDS, type ContentFields, LABEL_LENGTH, SEARCHED } from './fields.ts';
import { isLanguageTag } from './language-tag.ts';
import type { Meta } from './meta.ts';
import { isSlug } from './slug.ts';
import { STATUSES, type Visibility } from './visibility.ts';

/** Characters of a list of members. Far more than all of them have. */
const MOST_FIELDS = 1_000;

/** The name of an item in a 404. */
export const NOUN = 'content item';

export const contentFormats: Formats = {
  'content-text': {
    validate: (text) => Buffer.byteLength(text) <= MAX_CONTENT_BYTES,
    must: 'must be at most 1 MiB of UTF-8',
  },
  'language-tag': {
    validate: (text) => text === '' || isLanguageTag(text),
    must: 'must be a language tag, such as "en" or "pt-BR"',
  },
  slug: {
    validate: isSlug,
    must: 'must be words of lower-case letters and digits with hyphens between them, such as "my-first-item"',
  },
  'content-fields': {
    validate: (text) => text.length <= MOST_FIELDS && text.split(',').every((name) => NAMES.includes(name)),
    must: () => `must be some of ${NAMES.join(', ')}, with commas between them`,
  },
};

/** The last item that a list with a filter, or in another order than that of ids, reaches by its pages. */
export const DEEPEST_SEARCHED = 10_000;
/** The orders of a list of items. */
const SORTS = ['id', 'newest', 'oldest', 'changed', 'title', 'relevance'] as const;
export type Sort = (typeof SORTS)[number];
/** Tags of each of the two parameters. */
const MOST_TAGS = 8;

/** A label in a query may have characters that no body can bring (http/json.ts). */
function labelQuery(description: string) {
  return Type.Optional(Type.String({ maxLength: LABEL_LENGTH, format: 'storable', description }));
}

function labelsQuery(description: string) {
  const label = Type.String({ maxLength: LABEL_LENGTH, format: 'storable' });
  return Type.Optional(Type.Array(label, { maxItems: MOST_TAGS, description }));
}

/** The members that a client sends, with the bounds of docs/decisions/content.md. */
const members = rulesFor(CONTENT_FIELDS, 'author', Type);

const SIZE =
  'As JSON it has at most 2 MiB and 64 KiB: long texts are best sent as UTF-8, without `\\u` escapes.';
export const NewContent = Type.Object(members, {
  $id: 'NewContent',
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

/** The same members for a JSON Merge Patch, with null for an optional one that is taken away. */
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
    description: 'The members to change. The others stay as they are. Null takes an optional member away.',
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

export const ContentRecord = Type.Object(
  { ...schemasFor(CONTENT_FIELDS, 'everybody', Type), author: UserReference },
  { $id: 'Content', description: 'A content item.' },
);
export type ContentRecord = Static<typeof ContentRecord>;

const index = {
  index: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Which of the operations of POST /api/content/bulk failed, counted from 0.',
    }),
  ),
};

/** Which operation of several failed, and what a 412 tells of the item that another change was made to. */
export const contentFailures: FailureMembers = {
  400: index,
  403: index,
  404: index,
  429: index,
  412: {
    ...index,
    version: Type.Integer({ minimum: 1, description: 'The version that the item is at.' }),
    at: Type.String({ format: 'date-time', description: 'When that was made.' }),
    by: UserReference,
    changed: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'The members that were changed since the version of If-Match; absent where that version is not known any more.',
      }),
    ),
  },
};

const range = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 });
const ranges = Type.Unsafe<readonly Range[]>(Type.Array(range, { maxItems: MOST_RANGES }));

/** A record as a list has it. */
export const ContentListItem = Type.Object(
  {
    ...ContentRecord.properties,
    content: Type.String({
      description: `Whole up to ${PAGE_BYTES} / \`per_page\` bytes of UTF-8; of a longer one, the first ${EXCERPT} characters. Always whole where \`per_page\` is 1.`,
    }),
    meta: Type.Optional({
      ...ContentRecord.properties.meta,
      description: 'Absent where its JSON is longer than the same number of bytes.',
    }),
    content_truncated: Type.Optional(
      Type.Boolean({
        description: 'True where `content` is not whole; absent otherwise. By its id the item has all of it.',
      }),
    ),
    meta_truncated: Type.Optional(
      Type.Boolean({ description: 'True where `meta` is left out; absent otherwise.' }),
    ),
    highlights: Type.Optional(
      Type.Object(
        { title: Type.Optional(ranges), content: Type.Optional(ranges) },
        {
          description: `With \`highlights=true\`: what the keyword matches in \`title\` and \`content\` as they are in this answer. Each range is from one code point to before another, counted from 0; the first ${MOST_RANGES} of each.`,
        },
      ),
    ),
  },
  { $id: 'ContentListItem', description: 'A content item in a list.' },
);
export type ContentListItem = Static<typeof ContentListItem>;

/** What `fields` and `format` leave of an item. */
export const ContentSelection = Type.Partial(
  Type.Object({
    ...ContentListItem.properties,
    html: Type.String({
      description:
        'With `format=html`, in the place of `content`: what its Markdown looks like, without anything that runs.',
    }),
  }),
  {
    $id: 'ContentSelection',
    description: 'The members of a content item that `fields` names, or with HTML in the place of its text.',
  },
);

export const ContentPage = WalkablePageOf('ContentPage', Type.Union([ContentListItem, ContentSelection]));
/** An item, or what `fields` leaves of it. */
export const ReadContent = Type.Union([ContentRecord, ContentSelection]);

const NAMES = Object.keys(ContentRecord.properties);

/** The parameter by which a reader chooses members. */
export const FIELDS = Type.Optional(
  Type.String({
    format: 'content-fields',
    description: `Only these members, with commas between them: ${NAMES.join(', ')}.`,
    examples: ['id,title'],
  }),
);

/** What a reader of one item may ask for. */
export const ItemQuery = Type.Object({
  fields: FIELDS,
  format: Type.Optional(
    Type.Enum(['json', 'html'], {
      type: 'string',
      description:
        '`html` gives the member `html` in the place of `content`, also in `fields`: CommonMark with tables, cleaned of scripts, styles and other things that run. Refused where the setting RENDER is off.',
    }),
  ),
});

export const ContentQuery = Type.Object({
  ...PageQuery,
  keyword: keywordQuery(
    `Words that ${new Intl.ListFormat('en').format(SEARCHED)} have, each of them, in any case. The last one may be the beginning of a word. Words between quotation marks follow one another. An item is found by its first 100,000 characters.`,
  ),
  category: labelQuery('Only items of this category.'),
  tag: labelsQuery('Only items with this tag. If it is repeated, only items with all of the tags.'),
  any_tag: labelsQuery('Only items with this tag. If it is repeated, items with any of the tags.'),
  author: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only items of the author with this id.',
    }),
  ),
  status: Type.Optional(
    Type.Enum(STATUSES, {
      type: 'string',
      description:
        "`published` (the default), or the drafts that the caller knows of: the caller's own; those of all authors for editors and admins. Drafts are filtered by `author` only, and are in the order of their ids.",
    }),
  ),
  fields: FIELDS,
  highlights: Type.Optional(
    Type.Enum(['true', 'false'], {
      type: 'string',
      description: 'With `true` and a `keyword`, each item says where its texts match.',
    }),
  ),
  cursor: CURSOR,
  created_from: timeQuery('Only items that were created at this time or later.'),
  created_before: timeQuery('Only items that were created before this time.'),
  updated_from: timeQuery('Only items whose last change was at this time or later.'),
  updated_before: timeQuery('Only items whose last change was before this time.'),
  sort: Type.Optional(
    Type.Enum(SORTS, {
      type: 'string',
      description: `The order: by id (the default), by the time of creation (\`newest\` or \`oldest\` first), by the last change (\`changed\`, the latest first), by the \`title\`, where the letters A-Z and a-z are alike, or with a \`keyword\` by \`relevance\`: first items whose title has its words in a row, then those whose title has all of them, then the others, the latest first. A list with a filter or with another order than that of ids ends at item ${DEEPEST_SEARCHED}.`,
    }),
  ),
});

export type ContentRow = RowFor<ContentFields, 'everybody'>;

/** What a keyword matches in the texts of an item, as a list shows them. */
export interface Highlights {
  readonly title: readonly Range[];
  readonly content: readonly Range[];
}

export interface ListedRow extends ContentRow {
  /** 0 where all is whole. 1 is added where `content` is only the beginning, and 2 where `meta` is left out. */
  is_cut: number;
  /** Only where they were asked for. */
  readonly highlights?: Highlights | undefined;
}

/**
 * Identifies what a list shows of an item. The version covers everything that its author wrote. The name of the author
 * can change without a new version, and so can the author of a removed account's item. After a restore, two items may
 * have the same id and version; the time of the change differs. An item that is older than slugs gets its slug without a
 * new version.
 */
export type ListedState = Pick<
  ListedRow,
  'id' | 'version' | 'updated_at' | 'slug' | 'author_id' | 'author_name' | 'is_cut' | 'visibility'
>;

export function toListItem(row: ListedRow): ContentListItem {
  const item: ContentListItem = toRecord(row);
  if (row.is_cut & 1) item.content_truncated = true;
  if (row.is_cut & 2) {
    delete item.meta;
    item.meta_truncated = true;
  }
  if (row.highlights) item.highlights = row.highlights;
  return item;
}

export const toRecord = showTo(CONTENT_FIELDS, 'everybody');

/** The texts of a body, which count for what an account may write. */
export function textsOf(body: Static<typeof ContentPatch>): string[] {
  const known = Object.entries(body).filter(([name]) => name in members);
  return known
    .flatMap(([, value]): unknown => value)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

export function normaliseTags(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('tags' in body) || !Array.isArray(body.tags)) return;
  const trimmed = body.tags.map((tag: unknown) => (typeof tag === 'string' ? tag.trim() : tag));
  body.tags = [...new Set(trimmed)];
}

/**
 * Bytes of JSON. The longest content fits when each of its characters is escaped by a backslash. Each further byte would
 * lengthen the turn in which the largest body is parsed (12 ms).
 */
export const MOST_BODY = 2 * MAX_CONTENT_BYTES + 64 * 1024;

/** Options of the routes that take an item. */
export const takesContent = {
  bodyLimit: MOST_BODY,
  preValidation: async (request: { body: unknown }) => normaliseTags(request.body),
};

/** Reading needs an access token only if the setting CONTENT_READ says so. */
export const READ_SECURITY = [{}, { accessToken: [] }];

/** The links of an answer that has the id of an item. */
export function itemLinks(...operations: readonly string[]) {
  const toItem = (operationId: string) => [
    operationId,
    { operationId, parameters: { id: '$response.body#/data/id' } },
  ];
  return { 200: Object.fromEntries(operations.map(toItem)) };
}
