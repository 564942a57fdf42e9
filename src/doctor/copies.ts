import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { type Finding, finding, REPAIR } from './finding.ts';
import type { Snapshot } from './rows.ts';

/** A table in which triggers keep what is in the rows of another one. */
interface Copy {
  readonly table: string;
  readonly of: 'content' | 'users';
  /** The rows that it should have, and those that it has, with the same columns. */
  readonly right: RawBuilder<unknown>;
  readonly stored: RawBuilder<unknown>;
  /** Statements over the rows of `extra` and of `lacking`. */
  readonly removes: RawBuilder<unknown>;
  readonly adds: RawBuilder<unknown>;
  readonly ends?: RawBuilder<unknown>;
  /** What the repair costs, as a sentence. */
  readonly costs?: string;
}

const TAGS = {
  table: 'content_tags',
  of: 'content',
  stored: sql`select tag, content_id from content_tags`,
  removes: sql`delete from content_tags where (tag, content_id) in (select tag, content_id from extra)`,
  adds: sql`insert into content_tags (tag, content_id) select tag, content_id from lacking`,
} as const satisfies Omit<Copy, 'right'>;

/** FTS5 keeps no text of this index, so only the ids are compared. */
const ON_SQLITE: readonly Copy[] = [
  {
    ...TAGS,
    right: sql`select value as tag, content.id as content_id from content, json_each(tags) where visible = 1`,
  },
  {
    table: 'users_search',
    of: 'users',
    right: sql`select id from users where visible = 1`,
    stored: sql`select id from users_search_docsize`,
    // The index takes out a row only by its keys, which nobody knows where it is too many. So it is made again. Not in
    // batches: a write of an account that an emptied index lacks would fail, as if the file were damaged.
    removes: sql`insert into users_search (users_search) select 'delete-all'`,
    adds: sql`insert into users_search (rowid, username_key, email_key)
      select id, username_key, email_key from users where id in (select id from lacking)`,
    // Otherwise the write of an account would merge all parts of the index at once.
    ends: sql`insert into users_search (users_search) values ('optimize')`,
    costs: 'Meanwhile a running service takes no write, at a million accounts for about 10 seconds.',
  },
];

const ON_POSTGRES: readonly Copy[] = [
  {
    ...TAGS,
    right: sql`select value collate "C" as tag, content.id as content_id
      from content, json_array_elements_text(tags::json) as each(value) where visible = 1`,
  },
  {
    table: 'sign_in_order',
    of: 'users',
    right: sql`select id, last_sign_in_at from users`,
    stored: sql`select id, last_sign_in_at from sign_in_order`,
    removes: sql`delete from sign_in_order where id in (select id from extra)`,
    adds: sql`insert into sign_in_order (id, last_sign_in_at) select id, last_sign_in_at from lacking`,
  },
];

const lacking = ({ right, stored }: Copy) => sql`${right} except ${stored}`;
const extra = ({ right, stored }: Copy) => sql`${stored} except ${right}`;

interface WrongCopy {
  readonly copy: Copy;
  readonly lacks: number;
  readonly tooMany: number;
}

/** Those that differ from the rows. Reads all rows. */
export async function wrongCopies(db: Db, { name }: Pick<Engine, 'name'>): Promise<WrongCopy[]> {
  const wrong: WrongCopy[] = [];
  for (const copy of name === 'sqlite' ? ON_SQLITE : ON_POSTGRES) {
    const { rows } = await sql<{ lacks: number; extra: number }>`
      select (select count(*) from (${lacking(copy)}) as lacking) as lacks,
        (select count(*) from (${extra(copy)}) as extra) as extra`.execute(db);
    const found = { copy, lacks: Number(rows[0]?.lacks), tooMany: Number(rows[0]?.extra) };
    if (found.lacks + found.tooMany > 0) wrong.push(found);
  }
  return wrong;
}

export async function checkCopies({ db, engine }: Snapshot): Promise<Finding[]> {
  const wrong = await wrongCopies(db, engine);
  if (wrong.length === 0)
    return [finding('copies', 'ok', 'The tables of tags, names and sign-ins agree with the rows.')];
  return wrong.map(({ copy, lacks, tooMany }) =>
    finding(
      'copies',
      'wrong',
      `The table ${copy.table} lacks ${lacks} rows and has ${tooMany} too many; run "${REPAIR}".${copy.costs ? ` ${copy.costs}` : ''}`,
    ),
  );
}

/** Inside the caller's transaction. On PostgreSQL it keeps others from writing to the rows meanwhile. */
export async function correctCopy(
  db: Db,
  { copy, tooMany }: WrongCopy,
  { name }: Pick<Engine, 'name'>,
): Promise<void> {
  if (name === 'postgres') {
    await sql`set local lock_timeout = '5s'`.execute(db);
    await sql`lock table ${sql.table(copy.of)} in share row exclusive mode`.execute(db);
  }
  // Materialized: PostgreSQL 18 otherwise runs EXCEPT once for each row, and then finds too few.
  if (tooMany > 0) await sql`with extra as materialized (${extra(copy)}) ${copy.removes}`.execute(db);
  await sql`with lacking as materialized (${lacking(copy)}) ${copy.adds}`.execute(db);
  if (copy.ends) await copy.ends.execute(db);
}
