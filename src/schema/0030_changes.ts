import type { Dialect, Migration } from '../store/migration.ts';

/**
 * The feed of committed changes of items and accounts (docs/decisions/changes.md). Triggers write a row in the
 * transaction of the change, so no statement can forget one, and creating an item stays one statement.
 *
 * - `number` is the place of a change in the feed. A reader that has read to a number never gets a lower one later. The
 *   newest row is never removed, so the next number is one more than the highest.
 * - On SQLite one writer makes all changes, so the trigger numbers a change at once. On PostgreSQL transactions commit in
 *   another order than their sequences count. So a change waits in `unnumbered_changes` until it is committed, and one
 *   job moves it to `changes` (services/changes/number-changes.ts). On SQLite that table has rows only after a move.
 * - `audience` is who could see what was changed, before or after the change: `all`, or only its `owner`, editors and
 *   admins (of an account: its owner and admins).
 * - `owner_id` is the author of an item. `actor_id` is who made the change, where the row knows. These ids are no
 *   references: a change is history, and outlives what it tells of by days.
 * - The triggers rest while `move_progress` has rows, because a move copies items that are not new.
 */
export const changes: Migration = {
  name: '0030_changes',
  effect: {
    does: 'Makes the feed of changes, which triggers of content and users fill.',
    stops: { content: 'writes', users: 'writes' },
  },
  statements: (dialect) => [
    `CREATE TABLE changes (number ${dialect.id}, ${columns(dialect)})${dialect.tableOptions}`,
    `CREATE TABLE unnumbered_changes (place ${dialect.id}, ${columns(dialect)})${dialect.tableOptions}`,
    `CREATE TABLE change_readers (
      name ${dialect.key} NOT NULL PRIMARY KEY,
      number ${dialect.integer} NOT NULL,
      seen_at ${dialect.integer} NOT NULL
    )${dialect.tableOptions}`,
    ...(dialect.engine === 'sqlite' ? SQLITE : POSTGRES),
  ],
};

function columns({ integer }: Dialect): string {
  return `event TEXT NOT NULL,
    item_id ${integer},
    account_id ${integer},
    version ${integer},
    owner_id ${integer} NOT NULL,
    actor_id ${integer},
    audience TEXT NOT NULL CHECK (audience IN ('all', 'owner')),
    at ${integer} NOT NULL`;
}

const ITEM = '(event, item_id, version, owner_id, actor_id, audience, at)';
const ACCOUNT = '(event, account_id, owner_id, audience, at)';

function audienceOf(isVisible: string): string {
  return `CASE WHEN ${isVisible} THEN 'all' ELSE 'owner' END`;
}

const EITHER = 'old.visible = 1 OR new.visible = 1';
const CREATED = `'content.created', id, version, author_id, author_id, ${audienceOf('visible = 1')}, created_at`;
const IS_CHANGED = 'new.version <> old.version OR new.visible <> old.visible';
/** Who restores an item is not known here, nor who closes or reopens the account of its author. */
const changedItem = (now: string) => `CASE WHEN new.visible < old.visible THEN 'content.trashed'
    WHEN new.visible > old.visible THEN 'content.restored' ELSE 'content.updated' END,
  new.id, new.version, new.author_id,
  CASE WHEN new.visible = old.visible THEN coalesce(new.changed_by, new.author_id)
    WHEN new.trashed_at IS NOT NULL THEN coalesce(new.trashed_by, new.author_id) END,
  ${audienceOf(EITHER)}, CASE WHEN new.version <> old.version THEN new.updated_at ELSE ${now} END`;
const removedItem = (now: string) =>
  `'content.purged', old.id, old.version, old.author_id, NULL, ${audienceOf('old.visible = 1')}, ${now}`;

/** The columns of an account of which the feed tells. */
interface ToldColumns {
  /** What others see. */
  readonly shown: readonly string[];
  /** What its owner and admins also see, and nothing that a sign-in changes. */
  readonly own: readonly string[];
}
const TOLD: ToldColumns = {
  shown: ['username', 'email', 'visible'],
  own: ['role', 'disabled_at', 'display_name', 'profile'],
};

/**
 * For a later step that adds a column: makes the trigger of changed accounts again, with all columns of which it tells
 * from then on.
 */
export function tellOfAccounts({ engine }: Pick<Dialect, 'engine'>, told: ToldColumns): string[] {
  const again = engine === 'sqlite' ? ['DROP TRIGGER users_change_updated'] : DROPPED_ON_POSTGRES;
  return [...again, ...CHANGED_ACCOUNT[engine](told)];
}
const DROPPED_ON_POSTGRES = [
  'DROP TRIGGER users_change_updated ON users',
  'DROP FUNCTION users_change_updated()',
];

const differs = (columns: readonly string[], operator: string) =>
  columns.map((column) => `new.${column} ${operator} old.${column}`).join(' OR ');
const changedAccount = ({ shown }: ToldColumns, now: string, operator: string) =>
  `CASE WHEN new.visible < old.visible THEN 'user.removed' ELSE 'user.updated' END, new.id, new.id,
  ${audienceOf(`(${EITHER}) AND (${differs(shown, operator)})`)}, ${now}`;

const SQLITE_NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
const POSTGRES_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::BIGINT';

const CHANGED_ACCOUNT = {
  sqlite: (told: ToldColumns) => {
    const columns = [...told.shown, ...told.own];
    const on = `UPDATE OF ${columns.join(', ')} ON users`;
    const row = changedAccount(told, SQLITE_NOW, 'IS NOT');
    return [onSqlite('users_change_updated', on, differs(columns, 'IS NOT'), ACCOUNT, row)];
  },
  postgres: (told: ToldColumns) => {
    const columns = [...told.shown, ...told.own];
    const on = `UPDATE OF ${columns.join(', ')} ON users FOR EACH ROW
      WHEN (${differs(columns, 'IS DISTINCT FROM')})`;
    const row = `VALUES (${changedAccount(told, POSTGRES_NOW, 'IS DISTINCT FROM')})`;
    return onPostgres('users_change_updated', on, ACCOUNT, row);
  },
};

const SQLITE = [
  onSqlite('content_change_inserted', 'INSERT ON content', 'true', ITEM, prefixed(CREATED)),
  onSqlite(
    'content_change_updated',
    'UPDATE OF version, visible ON content',
    IS_CHANGED,
    ITEM,
    changedItem(SQLITE_NOW),
  ),
  onSqlite('content_change_deleted', 'DELETE ON content', 'true', ITEM, removedItem(SQLITE_NOW)),
  onSqlite(
    'users_change_inserted',
    'INSERT ON users',
    'new.visible = 1',
    ACCOUNT,
    "'user.created', new.id, new.id, 'all', new.created_at",
  ),
  ...CHANGED_ACCOUNT.sqlite(TOLD),
  onSqlite(
    'users_change_deleted',
    'DELETE ON users',
    'old.visible = 1',
    ACCOUNT,
    `'user.removed', old.id, old.id, 'all', ${SQLITE_NOW}`,
  ),
];

function onSqlite(name: string, event: string, when: string, into: string, values: string): string {
  return `CREATE TRIGGER ${name} AFTER ${event} WHEN (${when}) AND NOT EXISTS (SELECT 1 FROM move_progress)
    BEGIN INSERT INTO changes ${into} VALUES (${values}); END`;
}

function prefixed(row: string): string {
  return row.replaceAll(/\b(id|version|author_id|visible|created_at)\b/g, 'new.$1');
}

const POSTGRES = [
  ...onPostgres(
    'content_change_inserted',
    'INSERT ON content REFERENCING NEW TABLE AS added FOR EACH STATEMENT',
    ITEM,
    `SELECT ${CREATED} FROM added ORDER BY id`,
  ),
  ...onPostgres(
    'content_change_updated',
    `UPDATE OF version, visible ON content FOR EACH ROW WHEN (${IS_CHANGED})`,
    ITEM,
    `VALUES (${changedItem(POSTGRES_NOW)})`,
  ),
  ...onPostgres(
    'content_change_deleted',
    'DELETE ON content FOR EACH ROW',
    ITEM,
    `VALUES (${removedItem(POSTGRES_NOW)})`,
  ),
  ...onPostgres(
    'users_change_inserted',
    'INSERT ON users REFERENCING NEW TABLE AS added FOR EACH STATEMENT',
    ACCOUNT,
    `SELECT 'user.created', id, id, 'all', created_at FROM added WHERE visible = 1 ORDER BY id`,
  ),
  ...CHANGED_ACCOUNT.postgres(TOLD),
  ...onPostgres(
    'users_change_deleted',
    'DELETE ON users FOR EACH ROW WHEN (old.visible = 1)',
    ACCOUNT,
    `VALUES ('user.removed', old.id, old.id, 'all', ${POSTGRES_NOW})`,
  ),
];

function onPostgres(name: string, event: string, into: string, rows: string): string[] {
  return [
    `CREATE FUNCTION ${name}() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
      IF NOT EXISTS (SELECT FROM move_progress) THEN INSERT INTO unnumbered_changes ${into} ${rows}; END IF;
      RETURN NULL;
    END $$`,
    `CREATE TRIGGER ${name} AFTER ${event} EXECUTE FUNCTION ${name}()`,
  ];
}
