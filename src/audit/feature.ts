import { DAY_MS, MINUTE_MS } from '../domain/time.ts';
import type { FeatureContext, OpenFeature } from '../feature.ts';
import { removeOldEvents } from '../services/audit/clean.ts';
import { listAuditRoute } from './list.route.ts';
import { ownEventsRoute } from './own-events.route.ts';

/** The audit trail: its list for admins, its part for each account, and the end of what is older than AUDIT_DAYS. */
export async function openAudit({ config, store, searches, clock }: FeatureContext): Promise<OpenFeature> {
  const keptMs = config.auditDays * DAY_MS;
  return {
    routes: (app) => {
      for (const add of [listAuditRoute, ownEventsRoute]) add(app, { store, searches });
    },
    jobs: [
      {
        name: 'cleaning the audit trail',
        every: MINUTE_MS,
        run: () => store.write(removeOldEvents, { until: clock() - keptMs }),
      },
    ],
  };
}
