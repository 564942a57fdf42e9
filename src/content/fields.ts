import type { Generated, Selectable } from 'kysely';
import { isoTime } from '../domain/time.ts';
import { column, field, integer, optionalInteger, optionalText, text } from '../store/field.ts';
import type { ColumnsSetBy, TableOf } from '../store/field-types.ts';
import { columnsRestored, columnsSetBy, searchedColumns } from '../store/fields.ts';
import { exportOf } from '../store/fields-export.ts';
import {
  category,
  content,
  language,
  meta,
  slug,
  type T,
  tags,
  time,
  timeOrNull,
  title,
  visibility,
} from './field-rules.ts';
import { jsonOfMeta, type Meta } from './meta.ts';
import { STATUSES, type Status, type Visibility } from './visibility.ts';

/**
 * The fields of an item, in the order of the answers. What is read, shown, accepted, searched and exported follows from
 * this list (store/fields.ts).
 *
 * - Readers: `everybody` who may read content; `history`, for what a version has of its own.
 * - Setters: the `author`, in the bodies that create and change an item. In a change every member is optional.
 */
export const CONTENT_FIELDS = {
  id: field({
    column: column<Generated<number>>()('id'),
    schema: (t: T) => t.Integer({ minimum: 1, examples: [1] }),
    shownTo: ['everybody'],
  }),
  title: field({
    column: text('title'),
    schema: (t: T) => t.String({ examples: ['Hello'] }),
    shownTo: ['everybody', 'history'],
    setBy: { author: title },
    isSearched: true,
    stored: 'once',
  }),
  content: field({
    column: text('content'),
    schema: (t: T) => t.String({ examples: ['The first item.'] }),
    shownTo: ['everybody', 'history'],
    setBy: { author: content },
    isSearched: true,
    stored: 'once',
  }),
  category: field({
    column: text('category'),
    schema: (t: T) => t.String({ description: 'Empty when there is none.', examples: ['notes'] }),
    shownTo: ['everybody', 'history'],
    setBy: { author: (t: T) => t.Optional(category(t)) },
    otherwise: '',
    stored: 'copied',
  }),
  tags: field({
    column: text('tags'),
    schema: (t: T) => t.Array(t.String(), { examples: [['first', 'hello']] }),
    shownTo: ['everybody', 'history'],
    toMember: (json): string[] => JSON.parse(json),
    setBy: { author: (t: T) => t.Optional(tags(t)) },
    toColumn: (labels) => JSON.stringify(labels),
    otherwise: '[]',
    stored: 'copied',
  }),
  language: field({
    column: text('language'),
    schema: (t: T) =>
      t.Optional(t.String({ description: 'A language tag; absent if none is given.', examples: ['en'] })),
    shownTo: ['everybody', 'history'],
    setBy: { author: (t: T) => t.Optional(language(t)) },
    otherwise: '',
    absentIfEmpty: true,
    stored: 'short',
  }),
  meta: field({
    column: text('meta'),
    schema: (t: T) =>
      t.Optional(
        t.Unsafe<Meta>({
          type: 'object',
          additionalProperties: true,
          description: "An object of the author's own; absent if it is empty.",
          examples: [{ weight: 3 }],
        }),
      ),
    shownTo: ['everybody', 'history'],
    toMember: (json): Meta => JSON.parse(json),
    setBy: { author: (t: T) => t.Optional(meta(t)) },
    toColumn: jsonOfMeta,
    otherwise: '{}',
    absentIfEmpty: true,
    stored: 'once',
  }),
  visibility: field({
    column: column<Visibility>()('visibility'),
    schema: visibility,
    shownTo: ['everybody'],
    setBy: { author: (t: T) => t.Optional(visibility(t)) },
    otherwise: 'public',
    staysOnRestore: true,
  }),
  slug: field({
    column: optionalText('slug'),
    schema: (t: T) =>
      t.Optional(
        t.String({
          description: 'Names the item in URLs. Absent for a moment where the item is older than slugs are.',
          examples: ['hello'],
        }),
      ),
    shownTo: ['everybody'],
    toMember: (name) => name ?? undefined,
    setBy: { author: (t: T) => t.Optional(slug(t)) },
    // Creating an item makes it of the title.
    otherwise: null,
    refusesNull: true,
    staysOnRestore: true,
    stored: 'short',
  }),
  status: field({
    column: column<Status>()('status'),
    schema: (t: T) => t.Enum(STATUSES, { type: 'string' }),
    shownTo: ['everybody'],
    setBy: {
      author: (t: T) =>
        t.Optional(
          t.Enum(STATUSES, {
            type: 'string',
            description:
              'Only the author, editors and admins know of a `draft`. A new item is `published` if nothing is said.',
          }),
        ),
    },
    otherwise: 'published',
    refusesNull: true,
    staysOnRestore: true,
  }),
  publish_at: field({
    column: optionalInteger('publish_at'),
    beside: column<Status>()('status'),
    schema: (t: T) =>
      t.Optional(
        timeOrNull(t, 'When a draft is published by itself, or null; absent from a published item.'),
      ),
    shownTo: ['everybody'],
    toMember: (at, status) => (status === 'published' ? undefined : at === null ? null : isoTime(at)),
    setBy: {
      author: (t: T) =>
        t.Optional(
          timeOrNull(
            t,
            'Only for a draft: when it is published by itself, at most two seconds later. Null takes the time away.',
          ),
        ),
    },
    toColumn: (at) => (at === null ? null : Date.parse(at)),
    otherwise: null,
    staysOnRestore: true,
    exported: { schema: time, toMember: (at) => (at === null ? undefined : isoTime(at)) },
  }),
  version: field({
    column: integer('version'),
    schema: (t: T) => t.Integer({ minimum: 1, description: 'Grows by one with each change.' }),
    shownTo: ['everybody'],
  }),
  author: field({
    column: integer('author_id'),
    beside: text('author_name'),
    // The document refers to it by its name, `UserReference`.
    schema: (t: T) => t.Object({ id: t.Integer(), username: t.String() }),
    shownTo: ['everybody'],
    toMember: (id, username) => ({ id, username }),
    notExported: 'The author is the owner of the export.',
  }),
  created_at: field({
    column: integer('created_at'),
    schema: time,
    shownTo: ['everybody'],
    toMember: isoTime,
  }),
  updated_at: field({
    column: integer('updated_at'),
    schema: time,
    shownTo: ['everybody'],
    toMember: isoTime,
  }),
  changed_by: field({
    column: optionalInteger('changed_by'),
    notExported: 'Who changed it last, where that was another account.',
  }),
  trashed_at: field({
    column: optionalInteger('trashed_at'),
    schema: (t: T) => t.Optional(time(t)),
    toMember: (at) => (at === null ? undefined : isoTime(at)),
  }),
  trashed_by: field({
    column: optionalInteger('trashed_by'),
    notExported: 'Who moved it to the trash, where that was another account.',
  }),
  published_version: field({
    column: optionalInteger('published_version'),
    notExported: 'It tells the feed of changes which change published the item.',
  }),
  /** Only `withVisible` sets it (visibility.ts). */
  visible: field({ column: column<Generated<0 | 1>>()('visible'), notExported: 'It says what lists show.' }),
};

export type ContentFields = typeof CONTENT_FIELDS;
export const exportedContent = exportOf(CONTENT_FIELDS);
/** What people say of an item. */
export const WRITTEN = columnsSetBy(CONTENT_FIELDS, 'author');
export type Written = ColumnsSetBy<ContentFields, 'author'>;
/** What each version of an item has of its own. `content_versions` has a column of the same name. */
export const RESTORED = columnsRestored(CONTENT_FIELDS, 'author');
export const SEARCHED = searchedColumns(CONTENT_FIELDS);
export type Searched = (typeof SEARCHED)[number];
/** The words of each are counted without a look for NULL, so the compiler refuses a searched column that may be NULL. */
export type SearchedTexts = Readonly<Pick<Selectable<TableOf<ContentFields>>, Searched>>;
