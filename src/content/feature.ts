import type { FastifyBaseLogger } from 'fastify';
import { Searches } from '../domain/admission/searches.ts';
import type { OpenFeature } from '../feature.ts';
import type { Access } from '../http/declaration.ts';
import type { LocalLimits } from '../services/limits/local.ts';
import type { Store } from '../store/store.ts';
import { compareVersionsRoute } from './compare-versions.route.ts';
import { contentFailures, contentFormats } from './contract.ts';
import { createContentRoute } from './create.route.ts';
import { deleteContentRoute } from './delete.route.ts';
import { findContentRoute } from './find.route.ts';
import { findVersionRoute } from './find-version.route.ts';
import { indexWaiting, requireOwnIndex, tidy } from './index-words.ts';
import { listContentRoute } from './list.route.ts';
import { listVersionsRoute } from './list-versions.route.ts';
import { ListedJsonCache } from './listed-json.ts';
import { oldVersionsJob } from './old-versions.ts';
import { restoreVersionRoute } from './restore.route.ts';
import { StoredBytes } from './stored.ts';
import { patchContentRoute, updateContentRoute } from './update.route.ts';

/** For changes that another instance left unindexed. A write of this instance starts the job at once. */
const INDEX_MS = 1_000;
/**
 * Each search on PostgreSQL reads the new words of this time. Moving the words of a whole second at once made searches
 * wait for 200 ms.
 */
const TIDY_MS = 300;

const ROUTES = [
  createContentRoute,
  updateContentRoute,
  patchContentRoute,
  deleteContentRoute,
  findContentRoute,
  listContentRoute,
  listVersionsRoute,
  findVersionRoute,
  compareVersionsRoute,
  restoreVersionRoute,
];

interface Context {
  readonly config: {
    readonly contentRead: 'public' | 'members';
    readonly storedMebibytes: number;
    readonly versionsKeep: number;
  };
  readonly store: Store;
  readonly searches: Searches;
  readonly limits: LocalLimits;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export async function openContent(context: Context): Promise<OpenFeature> {
  const { config, store, searches, limits, log, clock } = context;
  await requireOwnIndex(store).catch((error) => {
    // The service works without the index, and the job tries again.
    log.error({ err: error }, 'the index of words could not be started again');
  });
  const readAccess: Access = config.contentRead === 'public' ? 'public' : 'signed_in';
  const stored = new StoredBytes({ store, searches, clock }, config.storedMebibytes);
  const listedJson = new ListedJsonCache();
  // One thread compares.
  const differences = new Searches(1);
  return {
    formats: contentFormats,
    failures: contentFailures,
    routes: (app) => {
      for (const add of ROUTES)
        add(app, { store, searches, differences, limits, stored, listedJson, readAccess, clock });
    },
    jobs: [
      {
        name: 'indexing content',
        every: INDEX_MS,
        afterWrites: true,
        run: () => indexWaiting(store),
      },
      { name: 'tidying the index of words', every: TIDY_MS, run: () => tidy(store) },
      oldVersionsJob(store, config.versionsKeep, clock),
    ],
  };
}
