import type { OpenFeature } from '../feature.ts';
import { oldVersionsJob } from './old-versions.ts';
import { type VersionParts, versionRoutes } from './routes.ts';

interface Context extends VersionParts {
  readonly config: VersionParts['config'] & { readonly versionsKeep: number };
}

export async function openVersions(context: Context): Promise<OpenFeature> {
  const { config, store, clock } = context;
  return {
    routes: (app) => versionRoutes(app, context),
    jobs: [oldVersionsJob(store, config.versionsKeep, clock)],
  };
}
