import type { Migration } from '../store/migration.ts';

/**
 * Drafts, and publishing at a time (docs/decisions/content.md).
 *
 * - An item that was never published, or is not any more, has the `status` 'draft'. The constraint refuses a visible
 *   draft, whichever statement makes it. `publish_at` is when it is published by itself.
 * - `published_version` is the version by which the item was published last, where that was a change.
 * - `content_drafts` has the draft beside a published item: `written` is a JSON object of the columns that the draft has
 *   otherwise, `version` counts its savings, and `over_version` is the version of the item that it was begun over.
 * - The trigger of changes tells a publication from other changes, and also tells what happens to an item that is hidden
 *   before and after: a draft in the trash.
 */
export const drafts: Migration = {
  name: '0033_drafts',
  effect: {
    does: 'Adds drafts and publishing at a time to content, with indexes.',
    stops: { content: 'all', users: 'writes' },
    reads: ['content'],
  },
  statements: ({ engine, integer, tableOptions }) => [
    `ALTER TABLE content ADD COLUMN status TEXT NOT NULL DEFAULT 'published'
      CONSTRAINT content_status CHECK (status = 'published' OR (status = 'draft' AND visible = 0))`,
    `ALTER TABLE content ADD COLUMN publish_at ${integer}
      CONSTRAINT content_publish_at CHECK (publish_at IS NULL OR status = 'draft')`,
    `ALTER TABLE content ADD COLUMN published_version ${integer}`,
    'DROP VIEW visible_content',
    'CREATE VIEW visible_content AS SELECT * FROM content WHERE visible = 1',
    `CREATE INDEX content_drafts_by_id ON content (id) WHERE status = 'draft'`,
    `CREATE INDEX content_drafts_of ON content (author_id, id) WHERE status = 'draft'`,
    `CREATE INDEX content_publish_at ON content (publish_at, id)
      WHERE publish_at IS NOT NULL AND trashed_at IS NULL`,
    'CREATE INDEX content_scheduled_of ON content (author_id) WHERE publish_at IS NOT NULL',
    `CREATE TABLE content_drafts (
      content_id ${integer} NOT NULL PRIMARY KEY REFERENCES content (id) ON DELETE CASCADE,
      version ${integer} NOT NULL,
      over_version ${integer} NOT NULL,
      written TEXT NOT NULL,
      publish_at ${integer},
      saved_at ${integer} NOT NULL,
      saved_by ${integer} NOT NULL REFERENCES users (id)
    )${tableOptions}`,
    `CREATE INDEX content_drafts_publish_at ON content_drafts (publish_at, content_id)
      WHERE publish_at IS NOT NULL`,
    'CREATE INDEX content_drafts_saved_by ON content_drafts (saved_by)',
    ...(engine === 'sqlite' ? SQLITE : POSTGRES),
  ],
};

const COLUMNS = 'version, visible, trashed_at';
const IS_CHANGED = `new.version <> old.version OR new.visible <> old.visible
  OR (new.trashed_at IS NULL) <> (old.trashed_at IS NULL)`;
const IS_TRASHED = 'new.trashed_at IS NOT NULL AND old.trashed_at IS NULL';
const IS_RESTORED = 'new.trashed_at IS NULL AND old.trashed_at IS NOT NULL';
const INTO = '(event, item_id, version, owner_id, actor_id, audience, at)';
/** Who restores an item is not known here. */
const changed = (now: string) => `CASE WHEN ${IS_TRASHED} THEN 'content.trashed'
    WHEN ${IS_RESTORED} THEN 'content.restored'
    WHEN new.version <> old.version AND new.published_version = new.version THEN 'content.published'
    ELSE 'content.updated' END,
  new.id, new.version, new.author_id,
  CASE WHEN ${IS_TRASHED} THEN coalesce(new.trashed_by, new.author_id)
    WHEN ${IS_RESTORED} THEN NULL
    ELSE coalesce(new.changed_by, new.author_id) END,
  CASE WHEN old.visible = 1 OR new.visible = 1 THEN 'all' ELSE 'owner' END,
  CASE WHEN new.version <> old.version THEN new.updated_at ELSE ${now} END`;

const SQLITE = [
  'DROP TRIGGER content_change_updated',
  `CREATE TRIGGER content_change_updated AFTER UPDATE OF ${COLUMNS} ON content
    WHEN (${IS_CHANGED}) AND NOT EXISTS (SELECT 1 FROM move_progress)
    BEGIN INSERT INTO changes ${INTO} VALUES (${changed("CAST(unixepoch('subsec') * 1000 AS INTEGER)")}); END`,
];

const POSTGRES = [
  'DROP TRIGGER content_change_updated ON content',
  `CREATE OR REPLACE FUNCTION content_change_updated() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    IF NOT EXISTS (SELECT FROM move_progress) THEN
      INSERT INTO unnumbered_changes ${INTO}
        VALUES (${changed('(extract(epoch FROM clock_timestamp()) * 1000)::BIGINT')});
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER content_change_updated AFTER UPDATE OF ${COLUMNS} ON content
    FOR EACH ROW WHEN (${IS_CHANGED}) EXECUTE FUNCTION content_change_updated()`,
];
