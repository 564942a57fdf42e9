import assert from 'node:assert/strict';
import { type FeedChange, readChanges } from '../../src/services/changes/read.ts';
import type { Store } from '../../src/store/store.ts';
import { until } from './until.ts';

/** As a reader does: the changes after a number, from page to page, until there is nothing new. Fails at a gap. */
export async function feedAfter(store: Pick<Store, 'read'>, after: number): Promise<FeedChange[]> {
  const read: FeedChange[] = [];
  for (;;) {
    const page = await store.read(readChanges, { after: read.at(-1)?.number ?? after, limit: 7 });
    assert.equal(page.goOnAfter, undefined);
    if (page.changes.length === 0) return read;
    read.push(...page.changes);
  }
}

/** Reads the feed from a number until the last change is the one that the test waits for. */
export async function feedUntil(
  store: Pick<Store, 'read'>,
  after: number,
  isLast: (change: FeedChange) => boolean,
): Promise<FeedChange[]> {
  const read: FeedChange[] = [];
  await until(async () => {
    read.push(...(await feedAfter(store, read.at(-1)?.number ?? after)));
    return read.some(isLast);
  }, 'the feed has the last change');
  return read;
}

/** The versions of each item in the order of the feed. */
export function versionsByItem(feed: readonly FeedChange[]): Map<number, (number | null)[]> {
  const versions = new Map<number, (number | null)[]>();
  for (const { item_id, version } of feed)
    if (item_id !== null) versions.set(item_id, [...(versions.get(item_id) ?? []), version]);
  return versions;
}
