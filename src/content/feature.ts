import type { FastifyBaseLogger } from 'fastify';
import type { Searches } from '../domain/admission/searches.ts';
import type { Cursors } from '../domain/cursors.ts';
import type { OpenFeature } from '../feature.ts';
import type { Access } from '../http/declaration.ts';
import type { OnceRequests } from '../services/idempotency/requests.ts';
import type { LocalLimits } from '../services/limits/local.ts';
import type { Rendering } from '../services/rendering/rendering.ts';
import type { Store } from '../store/store.ts';
import { contentFailures, contentFormats } from './contract.ts';
import { indexWaiting, requireOwnIndex, tidy } from './index-words.ts';
import { ListedJsonCache } from './listed-json.ts';
import { oldVersionsJob } from './old-versions.ts';
import { previewRoutes } from './preview-routes.ts';
import { contentRoutes } from './routes.ts';
import type { StoredBytes } from './stored.ts';
import { contentWriteRoutes } from './write-routes.ts';

/** For changes that another instance left unindexed. A write of this instance starts the job at once. */
const INDEX_MS = 1_000;
/**
 * Each search on PostgreSQL reads the new words of this time. Moving the words of a whole second at once made searches
 * wait for 200 ms.
 */
const TIDY_MS = 300;

interface Context {
  readonly config: {
    readonly contentRead: 'public' | 'members';
    readonly versionsKeep: number;
    readonly trashDays: number;
  };
  readonly store: Store;
  readonly searches: Searches;
  readonly cursors: Cursors;
  readonly limits: LocalLimits;
  readonly rendering: Rendering | undefined;
  readonly stored: StoredBytes;
  readonly onceRequests: OnceRequests;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export async function openContent(context: Context): Promise<OpenFeature> {
  const { config, store, log, clock } = context;
  await requireOwnIndex(store).catch((error) => {
    // The service works without the index, and the job tries again.
    log.error({ err: error }, 'the index of words could not be started again');
  });
  const readAccess: Access = config.contentRead === 'public' ? 'public' : 'signed_in';
  const listedJson = new ListedJsonCache();
  return {
    formats: contentFormats,
    failures: contentFailures,
    routes: (app) => {
      contentRoutes(app, { ...context, listedJson, readAccess });
      contentWriteRoutes(app, context);
      previewRoutes(app, context);
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
