import { type Failure, tokenExpired, tokenInvalid, tokenRevoked } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { addressOf } from '../domain/source.ts';
import { issueTokens } from './begin.ts';
import type { LoginResult } from './contract.ts';
import { GRACE_MS, IDLE_MS } from './lifetimes.ts';
import { answerOtherToken } from './other-token.ts';
import type { SessionParts } from './parts.ts';
import { type RefreshToken, sealSuccessor } from './refresh-token.ts';
import { rotateRefreshToken, rotateWhenFree, type Succeeded } from './rotate.ts';
import { findOwner } from './session.ts';
import { isAccessToken } from './token-shape.ts';

const ACCESS_TOKEN_SENT = 'This is an access token; send the refresh token, which came with it.';

interface PresentedToken {
  readonly text: string;
  readonly isCookie: boolean;
}

/**
 * Refreshes by the token itself, which one in the header always replaces. One in a cookie is kept while it is younger
 * than the grace: the cookie is shared by all tabs, and an older token of a slower tab would no longer be the parent. Fails
 * with `token_invalid`, `token_expired` or `token_revoked`; instead of these with `too_many_requests` for a source that
 * sends too many such tokens.
 */
export async function refresh(
  parts: SessionParts,
  { text, isCookie }: PresentedToken,
  origin: Origin,
): Promise<LoginResult> {
  const { store, refreshTokens, endedSessions, limits } = parts;
  const now = parts.clock();
  const refuse = (why: Failure): never => {
    limits.spend('refusedRefreshes', origin.source);
    throw why;
  };
  const token = refreshTokens.parse(text);
  if (!token) return refuse(tokenInvalid(isAccessToken(text) ? ACCESS_TOKEN_SENT : undefined));
  const { sessionId } = token;
  if (endedSessions.has(sessionId)) return refuse(tokenRevoked());
  const refuseEnded = () => {
    endedSessions.set(sessionId, true);
    return refuse(tokenRevoked());
  };
  const successor = refreshTokens.successorOf(token);
  const successorKey = refreshTokens.successorKey(token);
  const rotation = {
    sessionId,
    presentedHash: token.hash,
    successorHash: successor.hash,
    successorSealed: sealSuccessor(successorKey, successor),
    now,
    address: addressOf(origin.address),
    idleUntil: now + IDLE_MS,
    madeBefore: isCookie ? now - GRACE_MS : Number.MAX_SAFE_INTEGER,
  };
  const rotated = await store.write(rotateRefreshToken, rotation);
  if (rotated) return answer(parts, successor, rotated, now);

  const userId = await store.read(findOwner, sessionId);
  if (userId === undefined) return refuseEnded();
  const late = await store.write(rotateWhenFree, { ...rotation, userId });
  if (late) return answer(parts, successor, late, now);

  const presented = { sessionId, userId, presentedHash: token.hash, successorKey };
  const other = await store.write(answerOtherToken, { ...presented, now, origin });
  if (typeof other === 'object') {
    const living = other.successor === null ? token : refreshTokens.parse(other.successor);
    if (living) return answer(parts, living, other, now);
  }
  if (other === 'expired') return refuse(tokenExpired());
  return other === 'unknown' ? refuse(tokenRevoked()) : refuseEnded();
}

function answer(
  parts: SessionParts,
  successor: RefreshToken,
  { expiresAt, user }: Succeeded,
  now: number,
): LoginResult {
  return issueTokens(parts, successor, Math.floor((expiresAt - now) / 1000), user);
}
