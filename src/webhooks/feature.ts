import type { FastifyBaseLogger } from 'fastify';
import type { OpenFeature } from '../feature.ts';
import type { Sealing } from '../services/sealing/sealing.ts';
import type { SessionParts } from '../sessions/parts.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { webhookJob } from './job.ts';
import { webhookRoutes } from './routes.ts';

interface Parts extends Pick<SessionParts, 'store' | 'limits' | 'clock'> {
  readonly sealing: Sealing;
  readonly sendsMail: boolean;
  readonly isWebhookPrivate: boolean;
  readonly log: FastifyBaseLogger;
}

export async function openWebhooks(parts: Parts): Promise<OpenFeature> {
  const reach = { isPrivateAllowed: parts.isWebhookPrivate };
  return {
    routes: (app) => {
      webhookRoutes(app, { ...parts, reach });
      deliveryRoutes(app, parts);
    },
    jobs: [webhookJob({ ...parts, reach })],
  };
}
