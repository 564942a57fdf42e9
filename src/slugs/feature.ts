import type { ItemParts } from '../content/item-answer-contract.ts';
import type { OpenFeature } from '../feature.ts';
import { namingJob } from './name-items.ts';
import { slugRoutes } from './routes.ts';

interface Context extends ItemParts {
  readonly config: { readonly contentRead: 'public' | 'members' };
}

export async function openSlugs(context: Context): Promise<OpenFeature> {
  const { job, state } = namingJob(context.store);
  const readAccess = context.config.contentRead === 'public' ? 'public' : 'signed_in';
  return {
    routes: (app) => slugRoutes(app, { ...context, readAccess }),
    jobs: [job],
    checks: { slugs: state },
  };
}
