import assert from 'node:assert/strict';
import type { Client } from 'pg';
import { Failure } from '../../src/domain/failure.ts';
import { connect } from './postgres.ts';

/** Begins the writes while another transaction is done but for its commit; commits when all of them wait. */
export async function during(
  url: string,
  statements: readonly string[],
  waiting: number,
  begin: () => readonly Promise<string>[],
): Promise<string[]> {
  const [holder, watcher] = await Promise.all([connect(url), connect(url)]);
  try {
    await holder.query('begin');
    for (const statement of statements) await holder.query(statement);
    const writes = begin();
    await untilWaiting(watcher, waiting, writes);
    await holder.query('commit');
    return await Promise.all(writes);
  } finally {
    await Promise.all([holder.end(), watcher.end()]);
  }
}

async function untilWaiting(
  watcher: Client,
  count: number,
  writes: readonly Promise<string>[],
): Promise<void> {
  let done: string | undefined;
  for (const write of writes) void write.then((outcome) => (done ??= outcome));
  const sql = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await watcher.query(sql)).rows.length < count) {
    assert.equal(done, undefined, 'one did not wait');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** What a write answers where that is text, or the name of its failure, or that it was done. */
export async function outcomeOf(write: Promise<unknown>): Promise<string> {
  try {
    const output = await write;
    return typeof output === 'string' ? output : 'done';
  } catch (error) {
    return error instanceof Failure ? error.data.error : String(error);
  }
}
