import type { FairQueue } from '../domain/admission/fair-queue.ts';
import type { OpenFeature } from '../feature.ts';
import type { Store } from '../store/store.ts';
import { feedRoutes } from './routes.ts';

interface Context {
  readonly config: {
    readonly contentRead: 'public' | 'members';
    readonly contentUrl: string | undefined;
    readonly publicUrl: string | undefined;
  };
  readonly store: Store;
  readonly searches: FairQueue;
}

/** Feeds are for strangers, and need to know where the page of an item is. Without either there are none. */
export async function openFeeds({ config, store, searches }: Context): Promise<OpenFeature> {
  const { contentRead, contentUrl, publicUrl } = config;
  if (contentRead !== 'public' || contentUrl === undefined || publicUrl === undefined) return {};
  const addresses = { contentUrl, publicUrl };
  return { routes: (app) => feedRoutes(app, { store, searches, addresses }) };
}
