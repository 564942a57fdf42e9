import { sql } from 'kysely';
import { skeletonOf } from '../domain/skeleton.ts';
import { isAscii } from '../domain/text.ts';
import type { Migration } from '../store/migration.ts';
import type { Db } from '../store/tables.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

const BATCH = 1_000;

/**
 * What user names look like (domain/skeleton.ts). A skeleton belongs to one name, or to ASCII names. Those are not
 * compared with one another by looks, so they share one row, in which `user_id` is null.
 */
export const nameSkeletons: Migration = {
  name: '0005_name_skeletons',
  effect: OF_FIRST_BUILDS,
  statements: ({ engine, integer, key, tableOptions }) => [
    `CREATE TABLE username_skeletons (
      skeleton ${key} NOT NULL,
      user_id ${integer} REFERENCES users (id) ON DELETE CASCADE,
      CONSTRAINT username_skeletons_skeleton PRIMARY KEY (skeleton)
    )${engine === 'sqlite' ? `${tableOptions}, WITHOUT ROWID` : tableOptions}`,
    'CREATE INDEX username_skeletons_user ON username_skeletons (user_id) WHERE user_id IS NOT NULL',
  ],
  bringOver,
};

/** Names that look the same already all stay. The oldest one has the skeleton. */
async function bringOver(db: Db): Promise<void> {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number; username: string }>`
      select id, username from users where id > ${after} order by id limit ${BATCH}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    const values = rows.map(
      ({ id, username }) => sql`(${skeletonOf(username)}, ${isAscii(username) ? null : id})`,
    );
    await sql`insert into username_skeletons (skeleton, user_id) values ${sql.join(values)}
      on conflict do nothing`.execute(db);
    after = last.id;
  }
}
