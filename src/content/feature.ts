import type { FeatureContext, OpenFeature } from '../feature.ts';
import { contentFormats } from './contract.ts';
import { indexQueuedContent } from './index-words.ts';
import { contentRoutes } from './routes.ts';

/** For what another instance left behind; what is written here is indexed soon after. */
const INDEX_MS = 1_000;

/** Content items: creating, reading, changing, deleting, lists and search. */
export async function openContent({ config, store, clock }: FeatureContext): Promise<OpenFeature> {
  const readAccess = config.contentRead === 'public' ? 'public' : 'signed_in';
  return {
    formats: contentFormats,
    routes: (app) => contentRoutes(app, { store, readAccess, clock }),
    jobs: [
      {
        name: 'indexing content',
        every: INDEX_MS,
        afterWrites: true,
        run: () => store.write(indexQueuedContent, null),
      },
    ],
  };
}
