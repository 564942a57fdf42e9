import { Failure, tooManyRequests } from '../../domain/failure.ts';
import { ROW_LIMITS } from '../../domain/limits.ts';
import { DAY_MS } from '../../domain/time.ts';
import { type Engine, readOperation } from '../../store/operation.ts';
import { statement } from '../../store/statement.ts';
import type { Db } from '../../store/tables.ts';

/** How long the answer of a request is kept. */
export const KEPT_MS = DAY_MS;
/** With so many keys less than an account may have, its keys are counted by one write after the other. */
const NEARLY = 100;

/** A request that is made once. */
export interface OnceKey {
  readonly userId: number;
  /** A SHA-256 of the account and the key that its client chose. */
  readonly keyHash: string;
  /** A SHA-256 of the request. */
  readonly fingerprint: string;
}

/** What `make` returned as JSON: in this write, or in an earlier one with the same key. */
interface Once {
  readonly answer: string;
  readonly isNew: boolean;
}

interface KeyNow {
  readonly keyHash: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const rowOf = statement((db, { keyHash, now }: KeyNow) =>
  db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'answer'])
    .where('key_hash', '=', keyHash)
    .where('expires_at', '>', now),
);

/** The answer of an earlier request with the key; undefined if there was none. Fails with `idempotency_key_reused`. */
export const findAnswer = readOperation(
  'idempotency.find_answer',
  (db, { key, now }: { key: OnceKey; now: number }) => answerOf(db, key, now),
);

async function answerOf(db: Db, { keyHash, fingerprint }: OnceKey, now: number): Promise<string | undefined> {
  const [row] = await rowOf(db, { keyHash, now });
  if (row && row.fingerprint !== fingerprint)
    throw new Failure({
      error: 'idempotency_key_reused',
      message: 'This Idempotency-Key was sent with another request; choose a new key for each request.',
    });
  return row?.answer;
}

/**
 * Calls `make` inside the write that it belongs to, unless an earlier write did so with the same key, on any instance.
 * The key is committed with what `make` does. `make` returns what the answer needs beyond the request. Fails with
 * `idempotency_key_reused`, with `request_in_progress` while another write has the key, or with `too_many_requests`.
 */
export async function once(
  db: Db,
  engine: Engine,
  { key, now }: { readonly key: OnceKey; readonly now: number },
  make: () => Promise<object>,
): Promise<Once> {
  const { userId, keyHash, fingerprint } = key;
  if (!(await engine.tryLock(db, `idempotency key ${keyHash}`))) throw inProgress();
  const earlier = await answerOf(db, key, now);
  if (earlier !== undefined) return { answer: earlier, isNew: false };
  await requireRoom(db, engine, userId, now);
  const answer = JSON.stringify(await make());
  const kept = { fingerprint, answer, expires_at: now + KEPT_MS };
  const inserted = await db
    .insertInto('idempotency_keys')
    .values({ key_hash: keyHash, user_id: userId, ...kept })
    // A row that has expired is still there until the job removes it.
    .onConflict((conflict) =>
      conflict.column('key_hash').doUpdateSet(kept).where('idempotency_keys.expires_at', '<=', now),
    )
    .returning('key_hash')
    .executeTakeFirst();
  if (!inserted) throw inProgress();
  return { answer, isNew: true };
}

/**
 * No key is dropped early to make room, because its retry would then be made again. Counting takes turns only near the
 * limit. To pass it unseen, `NEARLY` writes of one account would have to run at once, and the database has fewer
 * connections for writes.
 */
async function requireRoom(db: Db, engine: Engine, userId: number, now: number): Promise<void> {
  const count = async () => {
    const { keys, first } = await db
      .selectFrom('idempotency_keys')
      .select((eb) => [eb.fn.countAll<number>().as('keys'), eb.fn.min('expires_at').as('first')])
      .where('user_id', '=', userId)
      .where('expires_at', '>', now)
      .executeTakeFirstOrThrow();
    return { keys: Number(keys), first: Number(first) };
  };
  const most = ROW_LIMITS.idempotencyKeys;
  if ((await count()).keys < most - NEARLY) return;
  await engine.lock(db, `idempotency keys of ${userId}`);
  const { keys, first } = await count();
  if (keys < most) return;
  const message = `Your account sent ${most} requests with an Idempotency-Key within 24 hours, which is all that are kept; try again later, or send many changes in one request.`;
  throw tooManyRequests(message, Math.ceil((first - now) / 1_000));
}

/** Nothing was done. Trying again later finds the answer, or makes the request. */
export function inProgress(): Failure {
  return new Failure({
    error: 'request_in_progress',
    message: 'The first request with this Idempotency-Key is still under way; try again shortly.',
    retryAfter: 1,
  });
}
