import { type Static, Type } from 'typebox';
import { isoTime } from '../domain/time.ts';
import { OpenEnum } from '../http/open-enum.ts';
import { PageOf } from '../http/paging.ts';
import { heldUntil } from './backoff.ts';
import type { DeliveryRow } from './deliveries.ts';
import type { WebhookRow } from './find.ts';
import { WANTED, type Wanted } from './messages.ts';
import { DELIVERY_STATUSES, PAUSED_BECAUSE } from './tables.ts';

const Time = Type.String({ format: 'date-time' });
const Url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  format: 'storable',
  description: 'Where messages are sent: https, and an address of the Internet unless WEBHOOK_PRIVATE is on.',
  examples: ['https://site.example/hook'],
});
const SENT = {
  description: 'The events that are sent; `*` is all of them, those of later versions too.',
  examples: [['content.created']],
};
const Events = Type.Array(Type.Enum(WANTED, { type: 'string' }), {
  minItems: 1,
  maxItems: WANTED.length,
  uniqueItems: true,
  ...SENT,
});
const Description = Type.String({
  maxLength: 200,
  format: 'storable',
  description: 'What the webhook is for.',
  examples: ['The site generator'],
});

export const WebhookInput = Type.Object(
  { url: Url, events: Events, description: Type.Optional(Description) },
  { $id: 'WebhookInput', description: 'A webhook to be made.' },
);

export const WebhookChange = Type.Object(
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    description: Type.Optional(Description),
    paused: Type.Optional(
      Type.Boolean({
        description:
          'False lets a paused webhook go on, and tries all that waits at once. It changes nothing where the webhook is not paused.',
        examples: [false],
      }),
    ),
  },
  {
    $id: 'WebhookChange',
    minProperties: 1,
    description: 'The members to change; the others stay.',
    examples: [{ description: 'The site generator' }],
  },
);

export const Webhook = Type.Object(
  {
    id: Type.Integer({ minimum: 1, examples: [1] }),
    url: Type.String({ examples: ['https://site.example/hook'] }),
    events: Type.Array(OpenEnum(WANTED, 'An event.'), SENT),
    description: Type.String({ examples: ['The site generator'] }),
    paused: Type.Boolean({
      description: 'Nothing but tests is sent. Changes wait in the feed for seven days, a million at most.',
    }),
    paused_because: Type.Optional(
      Type.Enum(PAUSED_BECAUSE, {
        type: 'string',
        description:
          '`admin`: an admin did it. `failing`: a delivery failed for three days. `gone`: the endpoint answered 410.',
      }),
    ),
    paused_at: Type.Optional(Time),
    held_until: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'When the endpoint wants the next message, from its Retry-After; null where it asked for no later time. A test, and a delivery that is sent again, end the wait.',
    }),
    created_at: Time,
  },
  { $id: 'Webhook', description: 'Where changes are sent.' },
);

export const WebhookWithSecret = Type.Object(
  {
    ...Webhook.properties,
    secret: Type.String({
      description: 'Signs the messages (Standard Webhooks). It is shown this once.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    }),
  },
  { $id: 'WebhookWithSecret', description: 'A webhook with its new secret.' },
);

export const WebhookDelivery = Type.Object(
  {
    id: Type.Integer({ minimum: 1, examples: [1] }),
    message_id: Type.String({
      description: 'The header `webhook-id`, the same at each attempt.',
      examples: ['msg_2KWPBgLlAfxdpx2AI54pPJ'],
    }),
    event: Type.String({ examples: ['content.created'] }),
    status: Type.Enum(DELIVERY_STATUSES, {
      type: 'string',
      description: '`waiting` is sent again; `failed` was a test.',
    }),
    attempts: Type.Integer({ minimum: 0 }),
    status_code: Type.Optional(Type.Integer({ description: 'Of the last answer.', examples: [200] })),
    error: Type.Optional(
      Type.String({
        description:
          'Why the last attempt got no answer: `timed_out`, `address_not_allowed`, `no_secret` (none can be opened: make a new one), or a code such as `ECONNREFUSED`.',
        examples: ['timed_out'],
      }),
    ),
    created_at: Time,
    last_attempt_at: Type.Optional(Time),
    next_attempt_at: Type.Optional(Time),
  },
  { $id: 'WebhookDelivery', description: 'A message of a webhook, and how it went.' },
);

export const WebhookPage = PageOf('WebhookPage', Webhook);
export const WebhookDeliveryPage = PageOf('WebhookDeliveryPage', WebhookDelivery, 'Newest first');

/** The row of a webhook as the contract shows it. */
export function toWebhook(row: WebhookRow, now: number): Static<typeof Webhook> {
  const { id, url, events, description, created_at, paused_at, paused_because, not_before } = row;
  const held = heldUntil(not_before, now);
  return {
    ...{ id, url, events: JSON.parse(events) as Wanted[], description, paused: paused_at !== null },
    ...(paused_because !== null && { paused_because }),
    ...(paused_at !== null && { paused_at: isoTime(paused_at) }),
    held_until: held === null ? null : isoTime(held),
    created_at: isoTime(created_at),
  };
}

/** The row of a delivery as the contract shows it. */
export function toDelivery(row: DeliveryRow): Static<typeof WebhookDelivery> {
  const { made_at, last_attempt_at, next_attempt_at, status_code, error, ...shown } = row;
  return {
    ...shown,
    ...(status_code !== null && { status_code }),
    ...(error !== null && { error }),
    created_at: isoTime(made_at),
    ...(last_attempt_at !== null && { last_attempt_at: isoTime(last_attempt_at) }),
    ...(next_attempt_at !== null && { next_attempt_at: isoTime(next_attempt_at) }),
  };
}
