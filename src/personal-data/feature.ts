import { DAY_MS } from '../domain/time.ts';
import type { FeatureContext, OpenFeature } from '../feature.ts';
import { closeOwnAccountRoute } from './close-own.route.ts';
import { exportRoute } from './export.route.ts';
import { removalJob } from './removal.ts';
import { removeUserRoute } from './remove-user.route.ts';

const ROUTES = [exportRoute, closeOwnAccountRoute, removeUserRoute];

/** What an owner gets of the own account, and how the account comes to its end (decisions 0064). */
export async function openPersonalData({ config, ...context }: FeatureContext): Promise<OpenFeature> {
  const { store, personalData, clock } = context;
  const graceMs = config.deletionDays * DAY_MS;
  const sendsMail = config.mail !== undefined;
  const sections = personalData.flatMap((each) => each.sections);
  return {
    routes: (app) => {
      for (const add of ROUTES) add(app, { ...context, sections, graceMs, sendsMail });
    },
    jobs: [removalJob(store, personalData, clock)],
  };
}
