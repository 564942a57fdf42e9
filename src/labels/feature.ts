import type { Searches } from '../domain/admission/searches.ts';
import type { OpenFeature } from '../feature.ts';
import type { Store } from '../store/store.ts';
import { labelsJob } from './count.ts';
import { labelRoutes } from './routes.ts';

interface Context {
  readonly config: { readonly contentRead: 'public' | 'members' };
  readonly store: Store;
  readonly searches: Searches;
}

export async function openLabels({ config, store, searches }: Context): Promise<OpenFeature> {
  const readAccess = config.contentRead === 'public' ? 'public' : 'signed_in';
  return {
    routes: (app) => labelRoutes(app, { store, searches, readAccess }),
    jobs: [labelsJob(store)],
  };
}
