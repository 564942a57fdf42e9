import { Type } from 'typebox';
import { ContentListItem, ContentSelection, FIELDS } from '../content/contract.ts';
import { LABEL_LENGTH } from '../content/field-rules.ts';
import { SEARCHED } from '../content/fields.ts';
import { LANGUAGE_LENGTH } from '../domain/language-tag.ts';
import { listed } from '../domain/listed.ts';
import { keywordQuery, PageQuery } from '../http/paging.ts';
import { timeQuery } from '../http/time-query.ts';
import { CURSOR, WalkablePageOf } from '../http/walking.ts';
import { DEEPEST_ITEM } from './deepest.ts';

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

export const ContentPage = WalkablePageOf(
  'ContentPage',
  Type.Union([ContentListItem, ContentSelection]),
  'In the order of `sort`',
);

export const ContentQuery = Type.Object({
  ...PageQuery,
  keyword: keywordQuery(
    `Words that ${listed(SEARCHED)} have, each of them, in any case. The last one may be the beginning of a word. Words between quotation marks follow one another. An item is found by its title and the first 100,000 UTF-16 code units of its text, counted also after its case is folded.`,
  ),
  category: labelQuery('Only items of this category.'),
  language: Type.Optional(
    Type.String({
      maxLength: LANGUAGE_LENGTH,
      format: 'language-tag',
      description:
        'Only items with this language tag, in any case: `de-at` finds `de-AT`, and `de` does not.',
    }),
  ),
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
    Type.Enum(['published', 'draft', 'with_draft'], {
      type: 'string',
      description:
        "`published` (the default); `draft`, the drafts that the caller knows of: the caller's own, and those of all authors for editors and admins; or `with_draft`, the published items of the same authors that have a draft beside them, as they are published. The last two take every filter but `keyword`, and every order but `relevance`. Of an item with a draft beside it, `changed` means when that draft was saved.",
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
      description: `The order: by id (the default), by the time of creation (\`newest\` or \`oldest\` first), by the last change (\`changed\`, the latest first), by the \`title\`, where the letters A-Z and a-z are alike, or with a \`keyword\` by \`relevance\`: first items whose title has its words in a row, then those whose title has all of them, then the others, the latest first. A list with a filter or with another order than that of ids ends at item ${DEEPEST_ITEM}.`,
    }),
  ),
});
