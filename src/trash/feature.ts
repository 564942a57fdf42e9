import type { ContentWrites } from '../content/writes.ts';
import type { FairQueue } from '../domain/admission/fair-queue.ts';
import { DAY_MS } from '../domain/time.ts';
import type { OpenFeature } from '../feature.ts';
import { purgeJob } from './purge.ts';
import { trashRoutes } from './routes.ts';

interface Context extends ContentWrites {
  readonly config: { readonly trashDays: number };
  readonly searches: FairQueue;
}

export async function openTrash(context: Context): Promise<OpenFeature> {
  const { config, store, clock } = context;
  const keptMs = config.trashDays * DAY_MS;
  return {
    routes: (app) => trashRoutes(app, { ...context, keptMs }),
    jobs: [purgeJob(store, keptMs, clock)],
  };
}
