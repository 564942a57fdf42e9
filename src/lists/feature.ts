import type { FairQueue } from '../domain/admission/fair-queue.ts';
import type { Cursors } from '../domain/cursors.ts';
import type { OpenFeature } from '../feature.ts';
import type { Store } from '../store/store.ts';
import { ListedJsonCache } from './listed-json.ts';
import { LAG_HEADER, listRoutes } from './routes.ts';

interface Context {
  readonly config: { readonly contentRead: 'public' | 'members' };
  readonly store: Store;
  readonly searches: FairQueue;
  readonly cursors: Cursors;
}

export async function openLists(context: Context): Promise<OpenFeature> {
  const readAccess = context.config.contentRead === 'public' ? 'public' : 'signed_in';
  const listedJson = new ListedJsonCache();
  return {
    routes: (app) => listRoutes(app, { ...context, listedJson, readAccess }),
    exposedHeaders: [LAG_HEADER],
    readings: () => listedJson.readings,
  };
}
