import type { Dialect } from '../../store/migration.ts';

/**
 * Content items.
 *
 * - Ids are never reused, not even that of the newest item after its deletion, because clients keep links.
 * - Steps add columns after `content`, and SQLite skips a text to read them: half a millisecond for 1 MiB, and almost
 *   nothing below 100 KB. Only a list that shows the beginning of such a text pays for this, once for each state of the
 *   item (lists/listed-json.ts).
 * - `visible` is 1 for what everybody may see (docs/decisions/lists-and-search.md). The view and all derived tables
 *   below have only visible items.
 * - `tags` is the JSON array as clients see it, so that a read needs only one row. `content_tags` is the index by which
 *   tags filter. Triggers update it.
 * - `content_search` has the words of items (domain/words.ts). An item enters it a moment after its write, and waits in
 *   `content_search_queue` until then, oldest first. A hidden or deleted item leaves at once.
 */
export function content(dialect: Dialect): string[] {
  const { id, integer, key, tableOptions } = dialect;
  return [
    `CREATE TABLE content (
      id ${id},
      author_id ${integer} NOT NULL REFERENCES users (id),
      title TEXT NOT NULL,
      category ${key} NOT NULL,
      tags TEXT NOT NULL,
      version ${integer} NOT NULL,
      visible ${integer} NOT NULL DEFAULT 1 CHECK (visible IN (0, 1)),
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL,
      excerpt TEXT GENERATED ALWAYS AS (
        CASE WHEN octet_length(content) > 2621 THEN substr(content, 1, 1000) END
      ) STORED,
      content TEXT NOT NULL
    )${tableOptions}`,
    'CREATE VIEW visible_content AS SELECT * FROM content WHERE visible = 1',
    'CREATE INDEX content_author ON content (author_id, id) WHERE visible = 1',
    // Nobody searches for items without a category.
    `CREATE INDEX content_category ON content (category, id) WHERE visible = 1 AND category <> ''`,
    `CREATE TABLE content_tags (
      tag ${key} NOT NULL,
      content_id ${integer} NOT NULL,
      PRIMARY KEY (tag, content_id)
    )${tableOptions === '' ? '' : `${tableOptions}, WITHOUT ROWID`}`,
    `CREATE TABLE content_search_queue (
      place ${id},
      content_id ${integer} NOT NULL
    )${tableOptions}`,
    ...(dialect.engine === 'sqlite' ? SQLITE : POSTGRES),
  ];
}

const ADD_TAGS = 'INSERT INTO content_tags (tag, content_id) SELECT value, new.id FROM json_each(new.tags);';
const REMOVE_TAGS =
  'DELETE FROM content_tags WHERE content_id = old.id AND tag IN (SELECT value FROM json_each(old.tags));';
const QUEUE = 'INSERT INTO content_search_queue (content_id) VALUES (new.id);';
const LEAVE_SEARCH = 'DELETE FROM content_search WHERE rowid = old.id;';

const SQLITE = [
  // The tokenizer only splits at spaces, because domain/words.ts has made the words already.
  `CREATE VIRTUAL TABLE content_search USING fts5 (
    title, content, content = '', contentless_delete = 1, tokenize = 'ascii'
  )`,
  // FTS5 must not merge by itself: each round of indexing merges in small steps (search/search.sqlite.ts).
  "INSERT INTO content_search (content_search, rank) VALUES ('automerge', 0)",
  `CREATE TRIGGER content_insert AFTER INSERT ON content WHEN new.visible = 1 BEGIN ${ADD_TAGS} ${QUEUE} END`,
  `CREATE TRIGGER content_delete AFTER DELETE ON content WHEN old.visible = 1
    BEGIN ${REMOVE_TAGS} ${LEAVE_SEARCH} END`,
  // One trigger, because SQLite promises no order among several triggers of one event.
  `CREATE TRIGGER content_tag AFTER UPDATE OF tags, visible ON content
    WHEN old.tags <> new.tags OR old.visible <> new.visible BEGIN
      ${REMOVE_TAGS}
      INSERT INTO content_tags (tag, content_id) SELECT value, new.id FROM json_each(new.tags) WHERE new.visible = 1;
    END`,
  `CREATE TRIGGER content_queue AFTER UPDATE OF title, content, visible ON content WHEN new.visible = 1
    BEGIN ${QUEUE} END`,
  `CREATE TRIGGER content_hide AFTER UPDATE OF visible ON content WHEN new.visible < old.visible
    BEGIN ${LEAVE_SEARCH} END`,
];

const POSTGRES = [
  `CREATE TABLE content_search (
    content_id BIGINT NOT NULL PRIMARY KEY REFERENCES content (id) ON DELETE CASCADE,
    words TEXT COLLATE "C" NOT NULL
  )`,
  // fastupdate is off, because every search would have to read the pending list.
  `CREATE INDEX content_search_words ON content_search
    USING gin (array_to_tsvector(string_to_array(words, ' '))) WITH (fastupdate = off)`,
  `CREATE FUNCTION content_inserted() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO content_tags (tag, content_id)
      SELECT tag, id FROM added, json_array_elements_text(tags::json) AS tag WHERE visible = 1;
    INSERT INTO content_search_queue (content_id) SELECT id FROM added WHERE visible = 1;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER content_inserted AFTER INSERT ON content
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION content_inserted()`,
  `CREATE FUNCTION content_tagged() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    IF old.visible = 1 THEN
      DELETE FROM content_tags WHERE content_id = old.id
        AND tag IN (SELECT json_array_elements_text(old.tags::json));
    END IF;
    IF tg_op = 'UPDATE' AND new.visible = 1 THEN
      INSERT INTO content_tags (tag, content_id) SELECT json_array_elements_text(new.tags::json), new.id;
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER content_untagged AFTER DELETE ON content FOR EACH ROW EXECUTE FUNCTION content_tagged()`,
  `CREATE TRIGGER content_tagged AFTER UPDATE OF tags, visible ON content
    FOR EACH ROW WHEN (old.tags <> new.tags OR old.visible <> new.visible) EXECUTE FUNCTION content_tagged()`,
  `CREATE FUNCTION content_queued() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    IF new.visible = 1 THEN INSERT INTO content_search_queue (content_id) VALUES (new.id);
    ELSE DELETE FROM content_search WHERE content_id = new.id;
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER content_queued AFTER UPDATE OF title, content, visible ON content
    FOR EACH ROW EXECUTE FUNCTION content_queued()`,
];
