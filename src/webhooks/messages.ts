import { randomBytes } from 'node:crypto';
import { isoTime } from '../domain/time.ts';
import type { FeedChange } from '../services/changes/read.ts';
import { CHANGE_EVENTS } from '../services/changes/tables.ts';

/** What a webhook may ask for. */
export const WANTED = ['*', ...CHANGE_EVENTS] as const;
export type Wanted = (typeof WANTED)[number];

/** An attempt of this event is the only one. */
export const TEST = 'webhook.test';
/** Changes were removed from the feed before the webhook had them. */
const GAP = 'webhook.gap';

/** What a delivery tells, and of what. Deliveries of one subject are in order. */
export interface Message {
  readonly event: string;
  readonly subject: string;
  readonly payload: string;
}

/** The message of a change. It has ids only: who wants the item reads it, as it is by then. */
export function messageOf(change: FeedChange): Message {
  const { event, item_id, account_id, version, actor_id, at } = change;
  const id = item_id ?? account_id;
  const data = {
    id,
    ...(version !== null && { version }),
    ...(actor_id !== null && { by: { id: actor_id } }),
  };
  return {
    event,
    subject: `${item_id === null ? 'account' : 'item'} ${id}`,
    payload: payloadOf(event, at, data),
  };
}

/** `missed_after` and `go_on_after` are numbers of the feed. */
export function gapMessage(missed_after: number, go_on_after: number, now: number): Message {
  return { event: GAP, subject: GAP, payload: payloadOf(GAP, now, { missed_after, go_on_after }) };
}

/** Each test has a subject of its own, so that nothing holds it up. */
export function testMessage(webhookId: number, now: number): Message {
  return { event: TEST, subject: newMessageId(), payload: payloadOf(TEST, now, { webhook: webhookId }) };
}

export function newMessageId(): string {
  return `msg_${randomBytes(16).toString('base64url')}`;
}

/** Some hundred bytes. */
function payloadOf(type: string, at: number, data: object): string {
  return JSON.stringify({ type, timestamp: isoTime(at), data });
}

/** The row of a delivery that is due at once. */
export function newDelivery(webhook_id: number, message: Message, now: number) {
  const unsent = { status: 'waiting', attempts: 0, next_attempt_at: now } as const;
  return { webhook_id, message_id: newMessageId(), ...message, made_at: now, ...unsent };
}
