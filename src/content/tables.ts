import type { Generated } from 'kysely';
import { countsOf, type FeatureTables } from '../store/tables.ts';

declare module '../store/tables.ts' {
  interface Tables {
    content: Content;
    /** Those that everybody may see: whatever shows items reads this, never `content`. */
    visible_content: ShownContent;
    /** Kept by triggers, with visible items alone. */
    content_tags: { tag: string; content_id: number };
    /** Changes of items for the index of words, oldest first; filled by triggers. */
    content_search_queue: { place: Generated<number>; content_id: number };
  }
}

interface Content {
  id: Generated<number>;
  author_id: number;
  title: string;
  content: string;
  category: string;
  tags: string;
  version: number;
  visible: Generated<0 | 1>;
  created_at: number;
  updated_at: number;
}

interface ShownContent extends Content {
  /** The first characters of a content that is longer than the smallest share of a page; the database computes it. */
  excerpt: string | null;
}

export const contentTables: FeatureTables = {
  carried: ['content'],
  derived: [...countsOf('content'), 'content_tags', 'content_search', 'content_search_queue', 'database_id'],
  counted: ['content'],
};
