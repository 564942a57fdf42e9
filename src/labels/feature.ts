import type { StoredBytes } from '../content/stored.ts';
import type { FairQueue } from '../domain/admission/fair-queue.ts';
import type { OpenFeature } from '../feature.ts';
import { labelsJob } from './count.ts';
import { renamingJob } from './rename-job.ts';
import { type RenameParts, renameRoutes } from './rename-routes.ts';
import { labelRoutes } from './routes.ts';

interface Context extends RenameParts {
  readonly config: { readonly contentRead: 'public' | 'members' };
  readonly searches: FairQueue;
  readonly stored: StoredBytes;
}

export async function openLabels(context: Context): Promise<OpenFeature> {
  const { config, store, searches } = context;
  const readAccess = config.contentRead === 'public' ? 'public' : 'signed_in';
  return {
    routes: (app) => {
      labelRoutes(app, { store, searches, readAccess });
      renameRoutes(app, context);
    },
    jobs: [labelsJob(store), renamingJob(context)],
  };
}
