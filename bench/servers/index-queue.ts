import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { attachDerived } from '../../src/store/sqlite/derived.ts';
import type { Prepared } from '../target.ts';

/** The part of the trigger for new content that fills the queue of the index. */
const TO_QUEUE = /INSERT INTO content_search_queue[^;]*;/;
const QUEUED = 'SELECT count(*) AS count FROM content_search_queue';

/** How many changes of content are not indexed yet, according to the database. */
export async function openIndexQueue({ settings }: Pick<Prepared, 'settings'>) {
  if (settings.DATABASE_URL !== undefined) return openPostgres(settings.DATABASE_URL);
  const database = new DatabaseSync(`${settings.DATA_DIR}/stoa.db`, { readOnly: true, timeout: 5_000 });
  attachDerived(database, `${settings.DATA_DIR}/stoa.db`);
  // The queue also has changes that are indexed already.
  const statement = database.prepare(
    `${QUEUED} WHERE place > (SELECT coalesce(max(place), 0) FROM content_search_state)`,
  );
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

/** Changes the trigger, so that new content is never indexed and its creation does no work for the index. */
export async function dropIndexing({ settings }: Pick<Prepared, 'settings'>): Promise<void> {
  if (settings.DATABASE_URL !== undefined) return dropOnPostgres(settings.DATABASE_URL);
  const database = new DatabaseSync(`${settings.DATA_DIR}/stoa.db`);
  const named = "SELECT sql FROM sqlite_schema WHERE name = 'content_insert'";
  const trigger = withoutQueue(String(database.prepare(named).get()?.sql));
  database.exec(`DROP TRIGGER content_insert; ${trigger}`);
  database.close();
}

async function dropOnPostgres(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ text: string }>(
    "SELECT pg_get_functiondef('content_inserted'::regproc) AS text",
  );
  await client.query(withoutQueue(rows[0]?.text ?? ''));
  await client.end();
}

function withoutQueue(trigger: string): string {
  if (!TO_QUEUE.test(trigger)) throw new Error(`Nothing is queued by ${trigger}.`);
  return trigger.replace(TO_QUEUE, '');
}
