import type { Migration } from '../store/migration.ts';

/**
 * Names of items in URLs (docs/decisions/content.md).
 *
 * - `slug` is NULL for items that are older than this step. A job names them a few at a time (src/slugs/name-items.ts), so
 *   a large database starts at once. `content_unnamed` has only those items.
 * - `content_old_slugs` has the slugs that items had before. A purge deletes them with their item.
 * - On PostgreSQL a statement may begin before another write gives a slug up, and insert after it. The trigger sees what
 *   was committed meanwhile, and refuses the slug. SQLite has one writer.
 */
export const slugs: Migration = {
  name: '0038_slugs',
  effect: {
    does: 'Adds slugs to content, with indexes.',
    stops: { content: 'all' },
    reads: ['content'],
    later: 'A job gives existing items their slugs, a few at a time.',
  },
  statements: ({ engine, integer, key, tableOptions }) => [
    `ALTER TABLE content ADD COLUMN slug ${key}`,
    'DROP VIEW visible_content',
    'CREATE VIEW visible_content AS SELECT * FROM content WHERE visible = 1',
    'DROP VIEW public_content',
    "CREATE VIEW public_content AS SELECT * FROM content WHERE visible = 1 AND visibility = 'public'",
    'CREATE UNIQUE INDEX content_slug ON content (slug) WHERE slug IS NOT NULL',
    'CREATE INDEX content_unnamed ON content (id) WHERE slug IS NULL',
    `CREATE TABLE content_old_slugs (
      slug ${key} NOT NULL PRIMARY KEY,
      content_id ${integer} NOT NULL REFERENCES content (id) ON DELETE CASCADE,
      replaced_at ${integer} NOT NULL
    )${tableOptions}`,
    'CREATE INDEX content_old_slugs_item ON content_old_slugs (content_id, replaced_at)',
    ...(engine === 'postgres' ? RESERVED : []),
  ],
};

const RESERVED = [
  `CREATE FUNCTION content_slug_reserved() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT FROM content_old_slugs AS former
      WHERE former.slug = new.slug AND former.content_id <> new.id) THEN
      RAISE EXCEPTION 'the slug is reserved' USING ERRCODE = 'unique_violation', CONSTRAINT = 'content_slug';
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER content_slug_reserved AFTER INSERT OR UPDATE OF slug ON content
    FOR EACH ROW EXECUTE FUNCTION content_slug_reserved()`,
];
