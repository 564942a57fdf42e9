import type { FeatureContext, OpenFeature } from '../feature.ts';
import type { Access } from '../http/access.ts';
import { WriteBudget } from '../services/throttle/write-budget.ts';
import { contentFormats } from './contract.ts';
import { createContentRoute } from './create.route.ts';
import { deleteContentRoute } from './delete.route.ts';
import { findContentRoute } from './find.route.ts';
import { indexWaiting, requireOwnIndex, tidy } from './index-words.ts';
import { listContentRoute } from './list.route.ts';
import { ListedJsonCache } from './listed-json.ts';
import { StoredBytes } from './stored.ts';
import { updateContentRoute } from './update.route.ts';

/** For what another instance left behind; what is written here is indexed soon after. */
const INDEX_MS = 1_000;
/** New words of this time are read by each search on PostgreSQL: a millisecond at 1,000 items a second. */
const TIDY_MS = 1_000;

const ROUTES = [
  createContentRoute,
  updateContentRoute,
  deleteContentRoute,
  findContentRoute,
  listContentRoute,
];

/** Content items: creating, reading, changing, deleting, lists and search. */
export async function openContent({
  config,
  store,
  searches,
  log,
  clock,
}: FeatureContext): Promise<OpenFeature> {
  await requireOwnIndex(store).catch((error) => {
    // The service can do without the index, and the job tries again.
    log.error({ err: error }, 'the index of words could not be begun again');
  });
  const readAccess: Access = config.contentRead === 'public' ? 'public' : 'signed_in';
  const writes = new WriteBudget({
    writes: config.writesPerHour,
    mebibytes: config.writtenMebibytesPerHour,
  });
  const stored = new StoredBytes(store, searches, config.storedMebibytes);
  const listedJson = new ListedJsonCache();
  return {
    formats: contentFormats,
    routes: (app) => {
      for (const add of ROUTES) add(app, { store, searches, writes, stored, listedJson, readAccess, clock });
    },
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
