import type { Past } from '../content/keep-version.ts';
import { pastOrNone } from '../content/past.ts';
import type { StoredBytes } from '../content/stored.ts';
import type { Job } from '../domain/jobs.ts';
import { LONG_BYTES } from '../services/deltas/delta.ts';
import type { Store } from '../store/store.ts';
import type { NextItem } from './next-items.ts';
import { kindsInRename, nextOfRename, renameStep } from './rename-step.ts';

const EVERY_MS = 500;

interface Parts {
  readonly store: Store;
  readonly stored: StoredBytes;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export function renamingJob({ store, stored, clock }: Parts): Job {
  const run = async (): Promise<boolean> => {
    let isMore = false;
    // A short read: at rest, no thread for long ones is needed.
    for (const kind of await store.read(kindsInRename, null)) {
      const next = await store.read(nextOfRename, kind);
      if (!next) continue;
      isMore = true;
      const step = { kind, place: next.place, now: clock(), pasts: await pastsOf(store, next.items) };
      for (const { authorId, added } of await store.write(renameStep, step)) stored.add(authorId, added);
    }
    return isMore;
  };
  return { name: 'renaming labels', every: EVERY_MS, run };
}

/** Where a text cannot be kept as a delta, as that of an item in the trash, it is kept whole. */
async function pastsOf(store: Store, items: readonly NextItem[]): Promise<Record<number, Past>> {
  const pasts: Record<number, Past> = {};
  for (const { id, author_id: userId, bytes } of items) {
    if (bytes <= LONG_BYTES) continue;
    const past = await pastOrNone(store, { id, userId });
    if (past) pasts[id] = past;
  }
  return pasts;
}
