import assert from 'node:assert/strict';
import type { Client } from 'pg';
import { Failure } from '../../src/domain/failure.ts';
import { connect } from './postgres.ts';
import { until } from './until.ts';

/** Begins the writes while another transaction is done but for its commit; commits when all of them wait. */
export function during(
  url: string,
  statements: readonly string[],
  waiting: number,
  begin: () => readonly Promise<string>[],
): Promise<string[]> {
  return whileHeld(url, statements, async (watcher) => {
    const writes = begin();
    await untilWaiting(watcher, waiting, writes);
    return writes;
  });
}

/** The same, where each write begins when those before it wait. */
export function duringInTurn(
  url: string,
  statements: readonly string[],
  begins: readonly (() => Promise<string>)[],
): Promise<string[]> {
  return whileHeld(url, statements, async (watcher) => {
    const writes: Promise<string>[] = [];
    for (const begin of begins) {
      writes.push(begin());
      await untilWaiting(watcher, writes.length, writes);
    }
    return writes;
  });
}

async function whileHeld(
  url: string,
  statements: readonly string[],
  begin: (watcher: Client) => Promise<readonly Promise<string>[]>,
): Promise<string[]> {
  const [holder, watcher] = await Promise.all([connect(url), connect(url)]);
  try {
    await holder.query('begin');
    for (const statement of statements) await holder.query(statement);
    const writes = await begin(watcher);
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
  await until(async () => {
    if ((await watcher.query(sql)).rows.length >= count) return true;
    assert.equal(done, undefined, 'one did not wait');
    return false;
  }, `${count} writes wait for a lock`);
}

/** What came of a write: its output where that is a word, or the name of its failure. */
export async function outcomeOf(write: Promise<unknown>): Promise<string> {
  try {
    const output = await write;
    return typeof output === 'string' ? output : 'done';
  } catch (error) {
    return error instanceof Failure ? error.data.error : String(error);
  }
}
