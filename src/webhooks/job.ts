import type { FastifyBaseLogger } from 'fastify';
import type { Job } from '../domain/jobs.ts';
import { reasonOf } from '../domain/reason.ts';
import { restFor } from '../domain/rest.ts';
import type { Tracing } from '../domain/tracing.ts';
import type { Sealing } from '../services/sealing/sealing.ts';
import type { Store } from '../store/store.ts';
import { AT_ONCE, type Claimed, claimDeliveries, hasDue, webhooksBehind } from './claim.ts';
import { fillWebhook } from './fill.ts';
import { type Outcome, send } from './send.ts';
import { isSuccess, settleDelivery } from './settle.ts';
import { openSecrets, signedHeaders } from './signature.ts';
import type { Reach } from './target.ts';

const EVERY_MS = 500;
/** A run ends after this long, whatever is under way. */
const LONGEST_RUN_MS = 5_000;

interface Parts {
  readonly store: Store;
  readonly sealing: Sealing;
  readonly reach: Reach;
  readonly sendsMail: boolean;
  /** Attempts since the start, by what came of them. */
  readonly attempts: { delivered: number; failed: number };
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly tracing: Tracing | undefined;
}

/** The deliveries that this instance sends now: at most AT_ONCE for each webhook. */
type UnderWay = Map<Promise<void>, Claimed>;

/**
 * Reads the feed for each webhook, and sends what is due. A run goes on while deliveries are under way, and waits for none
 * of them before it looks for others. So an endpoint that hangs holds up its own deliveries only. Deliveries may outlive
 * the run that began them, because a run that never ends would never succeed.
 */
export function webhookJob(parts: Parts): Job {
  const underWay: UnderWay = new Map();
  const run = async (stopping: AbortSignal) => {
    const end = performance.now() + LONGEST_RUN_MS;
    do {
      const begun = performance.now();
      const isBehind = await startDue(parts, underWay, stopping);
      if (underWay.size === 0) return isBehind;
      const wait = isBehind ? performance.now() - begun : EVERY_MS;
      await Promise.race([restFor(wait, stopping), ...underWay.keys()]);
    } while (!stopping.aborted && performance.now() < end);
    return false;
  };
  const close = () => Promise.all(underWay.keys());
  return { name: 'sending webhooks', every: EVERY_MS, run, close };
}

/** Returns whether the feed may have more for a webhook, also where that wanted none of what was read. */
async function startDue(parts: Parts, underWay: UnderWay, stopping: AbortSignal): Promise<boolean> {
  const { store, clock, log } = parts;
  const look = () => ({ now: clock(), full: fullIn(underWay) });
  const behind = await store.read(webhooksBehind, null);
  for (const id of behind) await store.write(fillWebhook, { id, now: clock() });
  const isBehind = behind.length > 0;
  if (!(await store.read(hasDue, look()))) return isBehind;
  for (const delivery of await store.write(claimDeliveries, look())) {
    const delivering = deliver(parts, delivery, stopping)
      // The delivery is sent again when its claim ends.
      .catch((error) => log.warn({ delivery: delivery.id, cause: reasonOf(error) }, 'a delivery failed'))
      .finally(() => underWay.delete(delivering));
    underWay.set(delivering, delivery);
  }
  return isBehind;
}

function fullIn(underWay: UnderWay): number[] {
  const counts = new Map<number, number>();
  for (const { webhookId } of underWay.values()) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
  return [...counts].flatMap(([id, count]) => (count >= AT_ONCE ? [id] : []));
}

async function deliver(parts: Parts, delivery: Claimed, stopping: AbortSignal): Promise<void> {
  const { store, sendsMail, clock } = parts;
  const { id, url, attempts } = delivery;
  const sent = await attempt(parts, delivery, stopping);
  const outcome = stopping.aborted && 'error' in sent ? undefined : sent;
  if (outcome) parts.attempts[hasFailed(outcome) ? 'failed' : 'delivered']++;
  const settlement = { id, url, attempts, outcome, now: clock(), random: Math.random(), sendsMail };
  await store.write(settleDelivery, settlement);
}

async function attempt(parts: Parts, delivery: Claimed, stopping: AbortSignal): Promise<Outcome> {
  const { sealing, reach, clock, tracing } = parts;
  const { url, messageId, payload } = delivery;
  const secrets = openSecrets(sealing, delivery.secrets);
  // Not sent without a signature: an endpoint that takes such a message takes one from anybody.
  if (secrets.length === 0) return { error: 'no_secret' };
  const message = { id: messageId, timestamp: Math.floor(clock() / 1_000), body: payload };
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Stoa',
    ...signedHeaders(message, secrets),
  };
  const sendWith = (traced: Readonly<Record<string, string>>) =>
    send({ url, headers: { ...headers, ...traced }, body: payload }, reach, stopping);
  return (
    tracing?.sending('send webhook', ({ traceparent }) => sendWith({ traceparent }), hasFailed) ??
    sendWith({})
  );
}

function hasFailed(sent: Outcome): boolean {
  return 'error' in sent || !isSuccess(sent.statusCode);
}
