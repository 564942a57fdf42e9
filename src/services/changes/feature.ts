import type { Job } from '../../domain/jobs.ts';
import { type Reading, readingsOf } from '../../domain/metrics.ts';
import { restFor } from '../../domain/rest.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import type { OpenFeature } from '../../feature.ts';
import type { Store } from '../../store/store.ts';
import { lookAtFeed } from './look.ts';
import { hasUnnumbered, numberChanges } from './number-changes.ts';
import { removeOldChanges } from './remove-old.ts';

/** For changes of a command, and those that an instance left when it ended. */
const NUMBER_MS = 1_000;
/** A round waits this long for more changes, because each round costs one commit. */
const GATHER_MS = 20;
/** The most changes of one round. */
const ROUND = 2_000;

interface Context {
  readonly config: { readonly database: { readonly kind: 'sqlite' | 'postgres' } };
  readonly store: Store;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export async function openChanges(context: Context): Promise<OpenFeature> {
  return { jobs: changeJobs(context), measure: () => measureFeed(context) };
}

async function measureFeed({ store }: Context): Promise<readonly Reading[]> {
  const { newest, lag } = await store.read(lookAtFeed, null);
  return readingsOf({ stoa_feed_newest_number: newest, stoa_feed_reader_lag: lag });
}

/** On SQLite changes have their numbers already, but for those that a move brought. */
function changeJobs({ config, store, clock }: Context): readonly Job[] {
  const isAfterCommit = config.database.kind === 'postgres';
  return [
    {
      name: 'numbering changes',
      every: isAfterCommit ? NUMBER_MS : MINUTE_MS,
      afterWrites: isAfterCommit,
      run: async (stopping) => {
        if (isAfterCommit) await restFor(GATHER_MS, stopping);
        return (await store.read(hasUnnumbered, null)) && store.write(numberChanges, { limit: ROUND });
      },
    },
    {
      name: 'removing old changes',
      every: MINUTE_MS,
      run: () => store.write(removeOldChanges, { now: clock() }),
    },
  ];
}
