import type { Generated } from 'kysely';
import type { ColumnsRestored, TableOf } from '../store/field-types.ts';
import { countsOf, type FeatureTables } from '../store/tables.ts';
import type { ContentFields } from './fields.ts';

declare module '../store/tables.ts' {
  interface Tables {
    content: Content;
    /** Visible items. All code that shows items reads this view, never `content`. */
    visible_content: ShownContent;
    /** Visible items that strangers see too. */
    public_content: ShownContent;
    /** Visible items with the columns that lists are sorted by (src/schema/0029_content_order.ts). */
    content_order: { id: number; created_at: number; updated_at: number; title_key: string };
    /** What items were before each of their changes. */
    content_versions: ContentVersions;
    /** Slugs that items had before, the newest of each item. They lead to the item, and no other item gets them. */
    content_old_slugs: { slug: string; content_id: number; replaced_at: number };
    /** Items whose versions a job looks at next, and when (`removeOldVersions`). */
    content_history_due: { content_id: number; due_at: number };
    /** The draft beside a published item. */
    content_drafts: ContentDrafts;
    /** Tags of visible items only. Triggers fill this table. */
    content_tags: { tag: string; content_id: number };
    /** Changes of items for the index of words, oldest first. Triggers fill this table. */
    content_search_queue: { place: Generated<number>; content_id: number };
  }
}

type Content = TableOf<ContentFields>;

interface ShownContent extends Content {
  /** The first characters of a content that exceeds the smallest share of a page. The database computes it. */
  excerpt: string | null;
}

/** The reasons for its columns are in src/schema/0026_versions.ts. */
interface ContentVersions extends Omit<ColumnsRestored<ContentFields, 'author'>, 'content'> {
  content_id: number;
  version: number;
  changed_by: number | null;
  changed_at: number;
  replaced_at: number;
  /** A JSON array of names. */
  replaced_members: string;
  bytes: number;
  base: number | null;
  delta: string | null;
  content: string | null;
}

/** The reasons for its columns are in src/schema/0033_drafts.ts. */
interface ContentDrafts {
  content_id: number;
  version: number;
  over_version: number;
  /** JSON of some of the columns that a version has. */
  written: string;
  publish_at: number | null;
  saved_at: number;
  saved_by: number;
}

export const contentTables: FeatureTables = {
  carried: ['content', 'content_versions', 'content_history_due', 'content_old_slugs', 'content_drafts'],
  derived: [
    ...countsOf('content'),
    ...countsOf('content_members'),
    'content_tags',
    'content_search',
    'content_search_queue',
  ],
  counted: ['content', 'content_members'],
};
