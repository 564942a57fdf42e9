import type { FastifyBaseLogger } from 'fastify';
import { readingsBy, readingsOf } from '../domain/metrics.ts';
import type { Tracing } from '../domain/tracing.ts';
import type { OpenFeature } from '../feature.ts';
import type { Sealing } from '../services/sealing/sealing.ts';
import type { SessionParts } from '../sessions/parts.ts';
import { countBacklog } from './count.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { webhookJob } from './job.ts';
import { webhookRoutes } from './routes.ts';

interface Parts extends Pick<SessionParts, 'store' | 'limits' | 'clock'> {
  readonly sealing: Sealing;
  readonly sendsMail: boolean;
  readonly isWebhookPrivate: boolean;
  readonly log: FastifyBaseLogger;
  readonly tracing: Tracing | undefined;
}

export async function openWebhooks(parts: Parts): Promise<OpenFeature> {
  const attempts = { delivered: 0, failed: 0 };
  const reach = { isPrivateAllowed: parts.isWebhookPrivate };
  return {
    routes: (app) => {
      webhookRoutes(app, { ...parts, reach });
      deliveryRoutes(app, parts);
    },
    readings: () => readingsBy('stoa_webhook_attempts_total', 'outcome', attempts),
    measure: async () => {
      const { waiting, paused } = await parts.store.read(countBacklog, null);
      return readingsOf({ stoa_webhook_deliveries_waiting: waiting, stoa_webhooks_paused: paused });
    },
    jobs: [webhookJob({ ...parts, reach, attempts })],
  };
}
