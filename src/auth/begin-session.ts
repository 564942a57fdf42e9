import { makeRoomForSession } from '../accounts/limit-sessions.ts';
import type { Origin } from '../domain/origin.ts';
import { addressOf } from '../domain/source.ts';
import { recordEvent } from '../services/audit/record.ts';
import { rememberDevice } from '../services/throttle/devices.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { ABSOLUTE_MS, IDLE_MS } from './lifetimes.ts';

export interface NewSession {
  readonly sessionId: string;
  /** Of its first refresh token. */
  readonly tokenHash: string;
  readonly userId: number;
  /** Where the sign-in has to be remembered (`Standing.newDevice`). */
  readonly newDevice?: string | undefined;
  /** What the client tells of itself, where it does. */
  readonly device?: string | undefined;
  /** Sessions that the account may have, this one among them. */
  readonly most: number;
  readonly now: number;
  readonly origin: Origin | null;
}

/**
 * What every sign-in does, inside the write that has checked it: the session begins, its device is remembered, and the
 * sign-in is recorded. That write holds a lock on the account.
 */
export async function beginSession(db: Db, input: NewSession, engine: Engine): Promise<void> {
  const { sessionId, userId, now, origin } = input;
  await makeRoomForSession(db, input, engine);
  await db
    .insertInto('sessions')
    .values({
      id: sessionId,
      user_id: userId,
      token_hash: input.tokenHash,
      created_at: now,
      rotated_at: now,
      idle_expires_at: now + IDLE_MS,
      absolute_expires_at: now + ABSOLUTE_MS,
      device: input.device ?? null,
      address: origin && addressOf(origin.address),
    })
    .execute();
  if (input.newDevice !== undefined) await rememberDevice(db, { key: input.newDevice, userId, now });
  await recordEvent(db, {
    event: 'signed_in',
    at: now,
    origin,
    accountId: userId,
    actorId: userId,
    sessionId,
  });
}
