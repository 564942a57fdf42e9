import type { Origin } from '../domain/origin.ts';
import { addressOf } from '../domain/source.ts';
import { recordChange } from '../services/audit/record.ts';
import { rememberDevice } from '../services/limits/devices.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { LoginResult } from './contract.ts';
import type { Client } from './device.ts';
import { ABSOLUTE_MS, ACCESS_TOKEN_SECONDS, IDLE_MS } from './lifetimes.ts';
import { makeRoomForSession } from './limit.ts';
import type { SessionParts } from './parts.ts';
import type { RefreshToken } from './refresh-token.ts';

export interface NewSession {
  readonly sessionId: string;
  /** Of its first refresh token. */
  readonly tokenHash: string;
  readonly userId: number;
  /** Where the sign-in has to be remembered (`Allowance.newDevice`). */
  readonly newDevice?: string | undefined;
  /** What the client tells of itself, where it does. */
  readonly device?: string | undefined;
  /** Sessions that the account may have, this one among them. */
  readonly most: number;
  readonly now: number;
  readonly origin: Origin | null;
}

interface Prepared {
  /** For `beginSession`, inside the write that lets the sign-in through. */
  readonly session: NewSession;
  /** The answer once the session has begun. */
  readonly answer: (username: string) => LoginResult;
}

/** What every way to sign in prepares before its write, and answers after it. */
export function newSession(parts: SessionParts, userId: number, { origin, device }: Client): Prepared {
  const refreshToken = parts.refreshTokens.first();
  const { sessionId, hash: tokenHash } = refreshToken;
  const now = parts.clock();
  return {
    session: { sessionId, tokenHash, userId, device, most: parts.sessionLimit, now, origin },
    answer: (username) => issueTokens(parts, refreshToken, IDLE_MS / 1000, { id: userId, username }),
  };
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
  const actor = { actorId: userId, sessionId };
  await recordChange(db, 'signed_in', userId, { now, origin, actor });
}

/** The answer to a sign-in and to a refresh: a new access token, and the refresh token of the session. */
export function issueTokens(
  parts: SessionParts,
  refreshToken: RefreshToken,
  refreshSeconds: number,
  user: { readonly id: number; readonly username: string },
): LoginResult {
  return {
    token: parts.accessTokens.sign({ userId: user.id, sessionId: refreshToken.sessionId }),
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    refresh_token: refreshToken.text,
    refresh_expires_in: refreshSeconds,
    user,
  };
}
