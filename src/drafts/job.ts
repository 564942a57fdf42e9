import { pastOrNone } from '../content/past.ts';
import type { StoredBytes } from '../content/stored.ts';
import type { Job } from '../domain/jobs.ts';
import type { Store } from '../store/store.ts';
import { findDue, publishDue } from './publish-due.ts';

/** A draft is published at most two seconds late. */
const EVERY_MS = 500;
/** Of items, and of drafts beside items, in one run. */
const ROUND = 100;
/** Writes under way together, which share their commits. */
const AT_ONCE = 10;

/** Each draft is a write of its own, so that one that fails leaves the others alone. It is tried again. */
export function publishingJob(store: Store, stored: StoredBytes): Job {
  const run = async (): Promise<boolean> => {
    const { due, isMore } = await store.read(findDue, { limit: ROUND });
    const problems: unknown[] = [];
    const publish = async ({ id, authorId }: (typeof due)[number]) => {
      try {
        const past = await pastOrNone(store, { id, userId: authorId });
        const done = await store.write(publishDue, { id, authorId, past });
        if (done) stored.add(done.authorId, done.added);
      } catch (error) {
        problems.push(error);
      }
    };
    for (let from = 0; from < due.length; from += AT_ONCE)
      await Promise.all(due.slice(from, from + AT_ONCE).map(publish));
    if (problems.length > 0) throw problems[0];
    return isMore;
  };
  return { name: 'publishing drafts', every: EVERY_MS, run };
}
