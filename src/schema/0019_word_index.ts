import type { Migration } from '../store/migration.ts';
import { NOT_HERE } from './effects.ts';

const QUEUE = (row: 'old' | 'new') => `INSERT INTO content_search_queue (content_id) VALUES (${row}.id);`;

/**
 * On SQLite the words of content move into a file of their own (docs/decisions/lists-and-search.md).
 *
 * - `content_search_queue` has every change, also of deleted and hidden items. It keeps the newest changes after they
 *   are indexed, because the file may have lost its last transactions.
 * - `database_id` identifies this database, so that nobody searches in the words of another one.
 * - `content_visible` answers whether an item that was found may be seen, without reading the item.
 * - One existing item enters the queue. Its place shows that earlier changes are not in the queue.
 */
export const wordIndex: Migration = {
  name: '0019_word_index',
  effect: {
    sqlite: {
      does: 'Moves the words of content into a file of their own, and makes an index of visible items.',
      reads: ['content'],
      later: 'A job indexes the words of all items; searches are complete when it is done.',
    },
    postgres: NOT_HERE,
  },
  statements: ({ engine }) => (engine === 'sqlite' ? SQLITE : []),
};

const SQLITE = [
  'DROP TRIGGER content_delete',
  'DROP TRIGGER content_queue',
  'DROP TRIGGER content_hide',
  'DROP TABLE content_search',
  `CREATE TRIGGER content_delete AFTER DELETE ON content WHEN old.visible = 1 BEGIN
    DELETE FROM content_tags WHERE content_id = old.id AND tag IN (SELECT value FROM json_each(old.tags));
    ${QUEUE('old')}
  END`,
  `CREATE TRIGGER content_queue AFTER UPDATE OF title, content, visible ON content
    WHEN new.visible = 1 OR old.visible = 1 BEGIN ${QUEUE('new')} END`,
  'CREATE INDEX content_visible ON content (id) WHERE visible = 1',
  'CREATE TABLE database_id (id TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID',
  'INSERT INTO database_id (id) VALUES (lower(hex(randomblob(16))))',
  'DELETE FROM content_search_queue',
  'INSERT INTO content_search_queue (content_id) SELECT id FROM content LIMIT 1',
];
