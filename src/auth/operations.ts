import { removeExpiredSessions } from './clean.ts';
import { exportAccounts } from './export.ts';
import { importAccounts } from './import.ts';
import { findAccount, refuseSignIn, startSession } from './login.ts';
import { answerOtherToken, rotateRefreshToken } from './refresh.ts';
import { createAccount } from './register.ts';
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
  exportAccounts,
  findAccount,
  findCaller,
  importAccounts,
  keepFirstSigningKey,
  listSigningKeys,
  refuseSignIn,
  removeExpiredSessions,
  removeOldSigningKeys,
  revokeSigningKey,
  rotateRefreshToken,
  startSession,
] as const;
