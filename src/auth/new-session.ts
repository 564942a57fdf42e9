import type { NewSession } from './begin-session.ts';
import type { LoginResult } from './contract.ts';
import type { Client } from './device.ts';
import { IDLE_MS } from './lifetimes.ts';
import type { AuthParts } from './parts.ts';
import { issueTokens } from './tokens.ts';

interface Prepared {
  /** For `beginSession`, inside the write that lets the sign-in through. */
  readonly session: NewSession;
  /** The answer once the session has begun. */
  readonly answer: (username: string) => Promise<LoginResult>;
}

/** What every way to sign in prepares before its write, and answers after it. */
export function newSession(parts: AuthParts, userId: number, { origin, device }: Client): Prepared {
  const refreshToken = parts.refreshTokens.first();
  const { sessionId, hash: tokenHash } = refreshToken;
  const now = parts.clock();
  return {
    session: { sessionId, tokenHash, userId, device, most: parts.sessionLimit, now, origin },
    answer: (username) => issueTokens(parts, refreshToken, IDLE_MS / 1000, { id: userId, username }),
  };
}
