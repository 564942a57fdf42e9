import { type Static, Type } from 'typebox';
import { MOST_RANGES, type Range } from '../domain/highlights.ts';
import { membersListed } from '../domain/listed.ts';
import { UserReference } from '../sessions/contract.ts';
import type { RowFor } from '../store/field-types.ts';
import { schemasFor, showTo } from '../store/fields.ts';
import { EXCERPT, PAGE_BYTES } from './excerpt.ts';
import { CONTENT_FIELDS, type ContentFields, SEARCHED, type Searched } from './fields.ts';

/** The name of an item in a 404. */
export const NOUN = 'content item';

export const ContentRecord = Type.Object(
  { ...schemasFor(CONTENT_FIELDS, 'everybody', Type), author: UserReference },
  { $id: 'Content', description: 'A content item.' },
);
export type ContentRecord = Static<typeof ContentRecord>;

const range = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 });
const ranges = Type.Optional(Type.Array(range, { maxItems: MOST_RANGES }));
const HIGHLIGHTED = membersListed(SEARCHED);

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
      Type.Unsafe<Highlights>(
        Type.Object(Object.fromEntries(SEARCHED.map((name) => [name, ranges])), {
          description: `With \`highlights=true\`: what the keyword matches in ${HIGHLIGHTED} as they are in this answer. Each range is from one code point to before another, counted from 0; the first ${MOST_RANGES} of each.`,
        }),
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

export type ContentSelection = Static<typeof ContentSelection>;

/** An item, or what `fields` leaves of it. */
export const ReadContent = Type.Union([ContentRecord, ContentSelection]);

/** The members of an item. */
export const NAMES = Object.keys(ContentRecord.properties);

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

export type ContentRow = RowFor<ContentFields, 'everybody'>;

/** What a keyword matches in the texts of an item, as a list shows them. */
export type Highlights = Readonly<Partial<Record<Searched, readonly Range[]>>>;

export interface ListedRow extends ContentRow {
  /** 0 where all is whole. 1 is added where `content` is only the beginning, and 2 where `meta` is left out. */
  is_cut: number;
  /** Only where they were asked for. */
  readonly highlights?: Highlights | undefined;
}

/**
 * Identifies what a list shows of an item. The version covers everything that its author wrote. The name of the author
 * can change without a new version, and so can the author of a removed account's item. After a restore, two items may
 * have the same id and version; the time of the change differs. An item that is older than slugs gets its slug without
 * a new version.
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

/** Of a route that `askerOf` knows the asker of, where an app whose token has ended notices that by a header only. */
export const AS_STRANGER =
  'Where everybody may read, a request with a token that is refused elsewhere is answered like one without a token. Where that token is invalid, has expired or was revoked, the answer has the header `WWW-Authenticate: Bearer realm="stoa", error="invalid_token"`.';

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
