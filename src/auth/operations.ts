import { removeExpiredSessions } from './clean.ts';
import { listSessions } from './list-sessions.ts';
import { findAccount, refuseSignIn, startSession } from './login.ts';
import { answerOtherToken, rotateRefreshToken } from './refresh.ts';
import { createAccount } from './register.ts';
import { revokeOtherSessions, revokeSession } from './revoke-sessions.ts';
import { endSession, endSomeSessions, findCaller } from './session.ts';
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
  endSession,
  endSomeSessions,
  findAccount,
  findCaller,
  keepFirstSigningKey,
  listSessions,
  listSigningKeys,
  refuseSignIn,
  removeExpiredSessions,
  removeOldSigningKeys,
  revokeOtherSessions,
  revokeSession,
  revokeSigningKey,
  rotateRefreshToken,
  startSession,
] as const;
