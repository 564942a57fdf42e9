import { type Static, Type } from 'typebox';
import { isoTime } from '../domain/time.ts';
import { LIMITS } from '../http/limits.ts';
import { keywordQuery, PageOf, PageQuery } from '../http/paging.ts';
import type { Formats } from '../http/validation.ts';
import { UserReference } from '../users/contract.ts';
import { EXCERPT, MAX_CONTENT_BYTES, PAGE_BYTES } from './excerpt.ts';

/** What a 404 calls it. */
export const NOUN = 'content item';

export const contentFormats: Formats = {
  'content-text': {
    validate: (text) => Buffer.byteLength(text) <= MAX_CONTENT_BYTES,
    must: 'must be at most 1 MiB of UTF-8',
  },
};

const LABEL_LENGTH = 64;
const Category = Type.String({
  maxLength: LABEL_LENGTH,
  description: 'Category label.',
  examples: ['notes'],
});
const Tag = Type.String({ minLength: 1, maxLength: LABEL_LENGTH });
/** In a query, where a label may hold what no body can bring in (http/json.ts). */
function labelQuery(description: string) {
  return Type.Optional(Type.String({ maxLength: LABEL_LENGTH, format: 'storable', description }));
}

/** The members that a client sends; the bounds of decisions 0008. */
const members = {
  title: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Title of the content.',
    examples: ['Hello'],
  }),
  content: Type.String({
    format: 'content-text',
    description: 'Body of the content, at most 1 MiB of UTF-8, kept byte for byte.',
    examples: ['The first item.'],
  }),
  category: Type.Optional(Category),
  tags: Type.Optional(
    Type.Array(Tag, {
      maxItems: 32,
      description: 'Tag labels, trimmed, without repeats, in the order given.',
      examples: [['first', 'hello']],
    }),
  ),
};

export const NewContent = Type.Object(members, { $id: 'NewContent', description: 'A new content item.' });
export const ContentChange = Type.Partial(Type.Object(members), {
  $id: 'ContentChange',
  description: 'The members to change; at least one. The others stay as they are.',
  // Not `minProperties`, which a member that is not known would satisfy. In an `allOf`, because generators of
  // types take an `anyOf` beside properties for something else that the body may be.
  allOf: [{ anyOf: Object.keys(members).map((name) => ({ required: [name] })) }],
});
export type ContentChange = Static<typeof ContentChange>;

export const ContentRecord = Type.Object(
  {
    id: Type.Integer({ minimum: 1, examples: [1] }),
    title: Type.String({ examples: ['Hello'] }),
    content: Type.String({ examples: ['The first item.'] }),
    category: Type.String({ description: 'Empty when there is none.', examples: ['notes'] }),
    tags: Type.Array(Type.String(), { examples: [['first', 'hello']] }),
    version: Type.Integer({ minimum: 1, description: 'Grows by one with each change.' }),
    author: UserReference,
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Content', description: 'A content item.' },
);
export type ContentRecord = Static<typeof ContentRecord>;

/** A record as a list has it. */
export const ContentListItem = Type.Object(
  {
    ...ContentRecord.properties,
    content: Type.String({
      description: `Whole up to ${PAGE_BYTES} / \`per_page\` bytes of UTF-8; of a longer one, the first ${EXCERPT} characters. Always whole where \`per_page\` is 1.`,
    }),
    content_truncated: Type.Optional(
      Type.Boolean({
        description: 'True where `content` is not whole; absent otherwise. By its id the item has all of it.',
      }),
    ),
  },
  { $id: 'ContentListItem', description: 'A content item in a list.' },
);
export type ContentListItem = Static<typeof ContentListItem>;

export const ContentPage = PageOf('ContentPage', ContentListItem);

export const ContentQuery = Type.Object({
  ...PageQuery,
  keyword: keywordQuery(
    'Words that title and content have, each of them, in any case. The last one may be the beginning of a word. Words between quotation marks stand in a row. An item is found by its first 100,000 characters.',
  ),
  category: labelQuery('Items of this category alone.'),
  tag: labelQuery('Items with this tag alone.'),
  author: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Items of the author with this id alone.',
    }),
  ),
});

export interface ContentRow {
  id: number;
  title: string;
  content: string;
  category: string;
  tags: string;
  version: number;
  author_id: number;
  author_name: string;
  created_at: number;
  updated_at: number;
}

export interface ListedRow extends ContentRow {
  /** 1 where `content` is only the beginning, 0 where it is whole. */
  is_cut: number;
}

/**
 * What tells each look of an item in a list from every other. The version decides all that its author wrote. The name
 * of the author changes without it, and so does the author of a removed account's item. The time of the change tells two
 * items of one id and version apart where an older copy of the database was put in place.
 */
export type ListedState = Pick<
  ListedRow,
  'id' | 'version' | 'updated_at' | 'author_id' | 'author_name' | 'is_cut'
>;

/** The row of a list as the contract shows it. */
export function toListItem(row: ListedRow): ContentListItem {
  const item: ContentListItem = toRecord(row);
  if (row.is_cut === 1) item.content_truncated = true;
  return item;
}

/** The row of an item as the contract shows it. */
export function toRecord(row: ContentRow): ContentRecord {
  // Named one by one: spreading the rows of a page costs more than all else that is done with them.
  return {
    id: row.id,
    title: row.title,
    content: row.content,
    category: row.category,
    tags: JSON.parse(row.tags) as string[],
    version: row.version,
    author: { id: row.author_id, username: row.author_name },
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** Trims the tags and drops repeats before any rule is checked. */
function normaliseTags(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('tags' in body) || !Array.isArray(body.tags)) return;
  const trimmed = body.tags.map((tag: unknown) => (typeof tag === 'string' ? tag.trim() : tag));
  body.tags = [...new Set(trimmed)];
}

/** What the routes that take an item have in common. */
export const takesContent = {
  bodyLimit: LIMITS.contentBody,
  preValidation: async (request: { body: unknown }) => normaliseTags(request.body),
};

/** Reading needs a token only where the setting CONTENT_READ says so: none, or an access token. */
export const READ_SECURITY = [{}, { accessToken: [] }];

/** Where the id of an answered item leads. */
export function itemLinks(...operations: readonly string[]) {
  const toItem = (operationId: string) => [
    operationId,
    { operationId, parameters: { id: '$response.body#/data/id' } },
  ];
  return { 200: Object.fromEntries(operations.map(toItem)) };
}
