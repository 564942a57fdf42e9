import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { Prepared } from '../target.ts';

const QUEUED = 'SELECT count(*) AS count FROM content_search_queue';

/** How many changes of content the index of words does not know yet, as the database says. */
export async function openIndexQueue({ settings }: Pick<Prepared, 'settings'>) {
  if (settings.DATABASE_URL !== undefined) return openPostgres(settings.DATABASE_URL);
  const database = new DatabaseSync(`${settings.DATA_DIR}/stoa.db`, { readOnly: true, timeout: 5_000 });
  const statement = database.prepare(QUEUED);
  return {
    length: async () => Number(statement.get()?.count),
    close: async () => database.close(),
  };
}

async function openPostgres(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    length: async () => Number((await client.query<{ count: string }>(QUEUED)).rows[0]?.count),
    close: () => client.end(),
  };
}
