import { Type } from 'typebox';
import { notFound } from '../domain/failure.ts';
import { askedBy, callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { IdParams, idIn, okPage, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import type { SessionParts } from '../sessions/parts.ts';
import { toDelivery, WebhookDelivery, WebhookDeliveryPage } from './contract.ts';
import { listDeliveries, redeliver, testWebhook } from './deliveries.ts';

type DeliveryParts = Pick<SessionParts, 'store' | 'limits' | 'clock'>;

/** What webhooks have sent, and sending it again. */
export function deliveryRoutes(app: App, { store, limits, clock }: DeliveryParts): void {
  app.get(
    '/api/webhooks/:id/deliveries',
    {
      config: { access: 'admin', limits: [], shows: 'all' },
      schema: {
        operationId: 'listWebhookDeliveries',
        tags: ['webhooks'],
        summary: 'List what a webhook has sent',
        description: 'Of the last seven days, newest first. For admins only.',
        params: IdParams,
        querystring: Type.Object(PageQuery),
        response: answers(WebhookDeliveryPage, 'One page of deliveries.', 400, 401, 403, 404),
      },
    },
    async (request, reply) => {
      const query = { id: idIn(request.params, 'webhook'), ...pageRequest(request.query) };
      return okPage(request, reply, await store.read(listDeliveries, query), toDelivery);
    },
  );

  app.post(
    '/api/webhooks/:id/test',
    {
      config: { access: 'admin', limits: ['webhookSends'], shows: 'all' },
      schema: {
        operationId: 'testWebhook',
        tags: ['webhooks'],
        summary: 'Send a test',
        description: 'Queues one message `webhook.test`, which is sent once. For admins only.',
        params: IdParams,
        response: answers(WebhookDelivery, 'The queued delivery.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const id = idIn(request.params, 'webhook');
      limits.spend('webhookSends', callerOf(request).userId);
      return ok(toDelivery(await store.write(testWebhook, { id, ...askedBy(request, clock) })));
    },
  );

  app.post(
    '/api/webhooks/:id/deliveries/:delivery_id/redeliver',
    {
      config: { access: 'admin', limits: ['webhookSends'], shows: 'all' },
      schema: {
        operationId: 'redeliverWebhook',
        tags: ['webhooks'],
        summary: 'Send a delivery once more',
        description:
          'Its message has the same `webhook-id` as before. One that is being sent stays as it is. For admins only.',
        params: Type.Object({ ...IdParams.properties, delivery_id: IdParams.properties.id }),
        response: answers(WebhookDelivery, 'The queued delivery.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { delivery_id: deliveryId } = request.params;
      const id = idIn(request.params, 'webhook');
      if (!Number.isSafeInteger(deliveryId)) throw notFound('delivery');
      limits.spend('webhookSends', callerOf(request).userId);
      const asked = { id, deliveryId, ...askedBy(request, clock) };
      return ok(toDelivery(await store.write(redeliver, asked)));
    },
  );
}
