import { removeExpiredSessions } from './clean.ts';
import { createPersonalToken } from './create-personal-token.ts';
import { listPersonalTokens } from './list-personal-tokens.ts';
import { listSessions } from './list-sessions.ts';
import { findAccount, refuseSignIn, startSession } from './login.ts';
import { recordUses } from './personal-token-uses.ts';
import { answerOtherToken, rotateRefreshToken } from './refresh.ts';
import { createAccount } from './register.ts';
import { revokePersonalToken } from './revoke-personal-token.ts';
import { revokeOtherSessions, revokeSession } from './revoke-sessions.ts';
import { endSession, endSomeSessions, findCaller, findPersonalToken } from './session.ts';
import {
  addSigningKey,
  keepFirstSigningKey,
  listSigningKeys,
  removeOldSigningKeys,
  revokeSigningKey,
} from './signing-keys.ts';

export const authOperations = [
  addSigningKey,
  answerOtherToken,
  createAccount,
  createPersonalToken,
  endSession,
  endSomeSessions,
  findAccount,
  findCaller,
  findPersonalToken,
  keepFirstSigningKey,
  listPersonalTokens,
  listSessions,
  listSigningKeys,
  recordUses,
  refuseSignIn,
  removeExpiredSessions,
  removeOldSigningKeys,
  revokeOtherSessions,
  revokePersonalToken,
  revokeSession,
  revokeSigningKey,
  rotateRefreshToken,
  startSession,
] as const;
