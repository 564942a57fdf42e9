import type { ClientBase } from 'pg';

const CREATE_INDEX = /^CREATE INDEX (\w+) ON /;

/** Nobody waits behind an index that waits. So it may wait for a backup. */
const LOCK_MS = 600_000;

/**
 * Makes the missing indexes while others write to their tables. PostgreSQL does so outside of a transaction only, and waits
 * for all transactions that are older. Work that was killed left an invalid index, which is dropped, or a good one.
 */
export async function buildIndexes(client: ClientBase, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    const name = CREATE_INDEX.exec(statement)?.[1];
    if (name === undefined) throw new Error(`The statement makes no index: ${statement}`);
    const query = 'SELECT indisvalid AS is_valid FROM pg_index WHERE indexrelid = to_regclass($1)';
    const [found] = (await client.query(query, [name])).rows;
    if (found?.is_valid === true) continue;
    await client.query(`SET lock_timeout = ${LOCK_MS}`);
    if (found) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
    await client.query(statement.replace(CREATE_INDEX, `CREATE INDEX CONCURRENTLY ${name} ON `));
  }
}
