import { FairQueue } from '../domain/admission/fair-queue.ts';
import { ADMISSION } from '../domain/admission/figures.ts';
import { readingsBy } from '../domain/metrics.ts';
import type { OpenFeature } from '../feature.ts';
import { Comparer } from './compare.ts';
import { oldVersionsJob } from './old-versions.ts';
import { type VersionParts, versionRoutes } from './routes.ts';

interface Context extends Omit<VersionParts, 'wholes' | 'differences' | 'comparer'> {
  readonly config: VersionParts['config'] & { readonly versionsKeep: number };
}

export async function openVersions(context: Context): Promise<OpenFeature> {
  const { config, store, clock } = context;
  // A version is read with the text that its own one is made of, and both may have a mebibyte.
  const wholes = new FairQueue(2, ADMISSION.reads);
  // One thread compares.
  const differences = new FairQueue(1, ADMISSION.reads);
  const comparer = new Comparer();
  return {
    routes: (app) => versionRoutes(app, { ...context, wholes, differences, comparer }),
    readings: () => [
      ...readingsBy('stoa_admission_waiting', 'kind', {
        version: wholes.figures.waiting,
        difference: differences.figures.waiting,
      }),
      ...readingsBy('stoa_admission_refused_total', 'reason', {
        versions: wholes.figures.refused,
        differences: differences.figures.refused,
      }),
    ],
    jobs: [oldVersionsJob(store, config.versionsKeep, clock)],
  };
}
