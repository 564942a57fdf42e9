import type { ClientBase } from 'pg';

const CREATE_INDEX = /^CREATE INDEX (\w+) ON /;

/**
 * Makes the indexes of a step while others write to its tables. PostgreSQL does so outside of a transaction only, and waits
 * for all transactions that are older. Work that was killed left an invalid index, which is dropped, or a good one.
 */
export async function buildIndexes(client: ClientBase, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    const name = CREATE_INDEX.exec(statement)?.[1];
    if (name === undefined) throw new Error(`The statement makes no index: ${statement}`);
    if (await isInvalid(client, name)) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
    const concurrently = `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON `;
    await client.query(statement.replace(CREATE_INDEX, concurrently));
  }
}

async function isInvalid(client: ClientBase, name: string): Promise<boolean> {
  const query = 'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid';
  return (await client.query(query, [name])).rowCount === 1;
}
