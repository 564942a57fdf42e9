import type { FastifyBaseLogger } from 'fastify';
import { readingsOf } from '../domain/metrics.ts';
import type { OpenFeature } from '../feature.ts';
import type { Store } from '../store/store.ts';
import { indexProgress, indexWaiting, requireOwnIndex, tidy } from './index-words.ts';

/** For changes that another instance left unindexed. A write of this instance starts the job at once. */
const INDEX_MS = 1_000;
/**
 * Each search on PostgreSQL reads the new words of this time. Moving the words of a whole second at once made searches
 * wait for 200 ms.
 */
const TIDY_MS = 300;

interface Context {
  readonly store: Store;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
}

export async function openSearch({ store, log }: Context): Promise<OpenFeature> {
  await requireOwnIndex(store).catch((error) => {
    // The service works without the index, and the job tries again.
    log.error({ err: error }, 'the index of words could not be started again');
  });
  return {
    measure: async () => readingsOf({ stoa_index_waiting: (await store.read(indexProgress, null)).waiting }),
    jobs: [
      {
        name: 'indexing content',
        every: INDEX_MS,
        afterWrites: true,
        run: () => indexWaiting(store),
      },
      { name: 'tidying the index of words', every: TIDY_MS, run: () => tidy(store) },
    ],
  };
}
