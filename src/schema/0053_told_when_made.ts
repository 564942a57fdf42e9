import type { Migration } from '../store/migration.ts';

const DOES = 'Gives the triggers of the feed of changes the time when a row is made.';

/**
 * A creation is in the feed of changes with the time when its row was made, as every other change is. An import makes rows
 * that were created long ago: with that time they left the feed at once.
 */
export const toldWhenMade: Migration = {
  name: '0053_told_when_made',
  effect: { sqlite: { does: DOES }, postgres: { does: DOES, stops: 'nothing' } },
  statements: ({ engine }) => (engine === 'sqlite' ? SQLITE : POSTGRES),
};

const ITEM = '(event, item_id, version, owner_id, actor_id, audience, at)';
const ACCOUNT = '(event, account_id, owner_id, audience, at)';
const audienceOf = (isVisible: string) => `CASE WHEN ${isVisible} THEN 'all' ELSE 'owner' END`;

const SQLITE_NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
const SQLITE = [
  'DROP TRIGGER content_change_inserted',
  `CREATE TRIGGER content_change_inserted AFTER INSERT ON content
    WHEN NOT EXISTS (SELECT 1 FROM move_progress)
    BEGIN INSERT INTO changes ${ITEM} VALUES ('content.created', new.id, new.version, new.author_id, new.author_id,
      ${audienceOf('new.visible = 1')}, ${SQLITE_NOW}); END`,
  'DROP TRIGGER users_change_inserted',
  `CREATE TRIGGER users_change_inserted AFTER INSERT ON users
    WHEN new.visible = 1 AND NOT EXISTS (SELECT 1 FROM move_progress)
    BEGIN INSERT INTO changes ${ACCOUNT} VALUES ('user.created', new.id, new.id, 'all', ${SQLITE_NOW}); END`,
];

const POSTGRES_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::BIGINT';
const POSTGRES = [
  onPostgres(
    'content_change_inserted',
    ITEM,
    `SELECT 'content.created', id, version, author_id, author_id, ${audienceOf('visible = 1')}, ${POSTGRES_NOW}
      FROM added ORDER BY id`,
  ),
  onPostgres(
    'users_change_inserted',
    ACCOUNT,
    `SELECT 'user.created', id, id, 'all', ${POSTGRES_NOW} FROM added WHERE visible = 1 ORDER BY id`,
  ),
];

function onPostgres(name: string, into: string, rows: string): string {
  return `CREATE OR REPLACE FUNCTION ${name}() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    IF NOT EXISTS (SELECT FROM move_progress) THEN INSERT INTO unnumbered_changes ${into} ${rows}; END IF;
    RETURN NULL;
  END $$`;
}
