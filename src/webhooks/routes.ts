import { Type } from 'typebox';
import { askedBy } from '../http/access.ts';
import { answers, answersEnded, BODY_FAILURES, ok } from '../http/envelope.ts';
import { IdParams, idIn, okPage, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { sealSecret } from '../services/sealing/sealed-secret.ts';
import type { Sealing } from '../services/sealing/sealing.ts';
import type { SessionParts } from '../sessions/parts.ts';
import {
  toWebhook,
  Webhook,
  WebhookChange,
  WebhookInput,
  WebhookPage,
  WebhookWithSecret,
} from './contract.ts';
import { createWebhook } from './create.ts';
import { deleteWebhook } from './delete.ts';
import { findWebhook, listWebhooks } from './find.ts';
import { replaceSecret } from './replace-secret.ts';
import { newSecret, placeOfWebhookSecret } from './signature.ts';
import { type Reach, requireUrl } from './target.ts';
import { updateWebhook } from './update.ts';

export interface WebhookParts extends Pick<SessionParts, 'store' | 'clock'> {
  readonly sealing: Sealing;
  readonly reach: Reach;
}

const RECENT = 'Asks for a sign-in of the last ten minutes. For admins only.';

/** Making and changing webhooks. */
export function webhookRoutes(app: App, { store, sealing, reach, clock }: WebhookParts): void {
  app.post(
    '/api/webhooks',
    {
      config: { access: 'admin', limits: [], shows: 'all' },
      schema: {
        operationId: 'createWebhook',
        tags: ['webhooks'],
        summary: 'Make a webhook',
        description: `It gets the changes from now on, signed as Standard Webhooks says. ${RECENT}`,
        body: WebhookInput,
        response: answers(WebhookWithSecret, 'The webhook, with its secret.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { url, events, description = '' } = request.body;
      requireUrl(url, reach);
      const secret = newSecret();
      const made = { url, events, description, secret: sealSecret(sealing, placeOfWebhookSecret, secret) };
      const row = await store.write(createWebhook, { ...made, ...askedBy(request, clock) });
      return ok({ ...toWebhook(row, clock()), secret });
    },
  );

  app.get(
    '/api/webhooks',
    {
      config: { access: 'admin', limits: [], shows: 'all' },
      schema: {
        operationId: 'listWebhooks',
        tags: ['webhooks'],
        summary: 'List webhooks',
        description: 'For admins only.',
        querystring: Type.Object(PageQuery),
        response: answers(WebhookPage, 'One page of webhooks.', 401, 403),
      },
    },
    async (request, reply) =>
      okPage(request, reply, await store.read(listWebhooks, pageRequest(request.query)), (row) =>
        toWebhook(row, clock()),
      ),
  );

  app.get(
    '/api/webhooks/:id',
    {
      config: { access: 'admin', limits: [], shows: 'all' },
      schema: {
        operationId: 'getWebhook',
        tags: ['webhooks'],
        summary: 'Read a webhook',
        description: 'Without its secret. For admins only.',
        params: IdParams,
        response: answers(Webhook, 'The webhook.', 401, 403, 404),
      },
    },
    async (request) => ok(toWebhook(await store.read(findWebhook, idIn(request.params, 'webhook')), clock())),
  );

  app.put(
    '/api/webhooks/:id',
    {
      config: { access: 'admin', limits: [], shows: 'all' },
      schema: {
        operationId: 'updateWebhook',
        tags: ['webhooks'],
        summary: 'Change, pause or resume a webhook',
        description: RECENT,
        params: IdParams,
        body: WebhookChange,
        response: answers(Webhook, 'The webhook as it is now.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const id = idIn(request.params, 'webhook');
      if (request.body.url !== undefined) requireUrl(request.body.url, reach);
      const change = { id, ...request.body, ...askedBy(request, clock) };
      return ok(toWebhook(await store.write(updateWebhook, change), clock()));
    },
  );

  app.delete(
    '/api/webhooks/:id',
    {
      config: { access: 'admin', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'deleteWebhook',
        tags: ['webhooks'],
        summary: 'Delete a webhook',
        description: 'With its secrets and its log. For admins only.',
        params: IdParams,
        response: answersEnded(Type.Integer(), 'webhook'),
      },
    },
    async (request) => {
      const id = idIn(request.params, 'webhook');
      await store.write(deleteWebhook, { id, ...askedBy(request, clock) });
      return ok({ id });
    },
  );

  app.post(
    '/api/webhooks/:id/secret',
    {
      config: { access: 'admin', limits: [], shows: 'all' },
      schema: {
        operationId: 'replaceWebhookSecret',
        tags: ['webhooks'],
        summary: 'Give a webhook a new secret',
        description: `For 24 hours the earlier secret signs too. ${RECENT}`,
        params: IdParams,
        response: answers(
          WebhookWithSecret,
          'The webhook, with its new secret.',
          401,
          403,
          404,
          ...BODY_FAILURES,
        ),
      },
    },
    async (request) => {
      const id = idIn(request.params, 'webhook');
      const secret = newSecret();
      const replaced = {
        id,
        secret: sealSecret(sealing, placeOfWebhookSecret, secret),
        ...askedBy(request, clock),
      };
      return ok({ ...toWebhook(await store.write(replaceSecret, replaced), clock()), secret });
    },
  );
}
