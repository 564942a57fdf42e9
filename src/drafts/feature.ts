import type { ContentWrites } from '../content/writes.ts';
import type { OpenFeature } from '../feature.ts';
import { publishingJob } from './job.ts';
import { draftRoutes } from './routes.ts';

export async function openDrafts(context: ContentWrites): Promise<OpenFeature> {
  return {
    routes: (app) => draftRoutes(app, context),
    jobs: [publishingJob(context.store, context.stored)],
  };
}
