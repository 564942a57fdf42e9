import type { Caller } from '../domain/account.ts';
import type { EventName } from '../services/audit/events.ts';
import { recordEvent } from '../services/audit/record.ts';
import type { Asked } from '../sessions/caller-write.ts';
import type { Db } from '../store/tables.ts';

type WebhookEvent = Extract<EventName, `webhook_${string}`>;

/** Records what an admin did to a webhook. The trail has its id, and not the address, which may hold a secret. */
export function recordAsked(
  db: Db,
  event: WebhookEvent,
  { id, asked, caller }: { readonly id: number; readonly asked: Asked; readonly caller: Caller },
  detail: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { now: at, origin } = asked;
  const by = { at, origin, actorId: caller.userId, sessionId: caller.sessionId };
  return recordEvent(db, { event, ...by, detail: { webhook: String(id), ...detail } });
}
