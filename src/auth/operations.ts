import { changeOwnPassword, findOwnAccount } from './change-password.ts';
import { removeExpiredResets, removeExpiredSessions } from './clean.ts';
import { createPersonalToken } from './create-personal-token.ts';
import { exportAccounts } from './export.ts';
import { findByAddress, requestPasswordReset } from './forgotten-password.ts';
import { importAccounts } from './import.ts';
import { listPersonalTokens } from './list-personal-tokens.ts';
import { listSessions } from './list-sessions.ts';
import { findAccount, refuseSignIn, startSession } from './login.ts';
import { exportResets, exportSessions, removeSessionsOf } from './personal-data.ts';
import { recordUses } from './personal-token-uses.ts';
import { answerOtherToken, rotateRefreshToken } from './refresh.ts';
import { createAccount } from './register.ts';
import { findPasswordReset, usePasswordReset } from './reset-password.ts';
import { restoreAccount } from './restore.ts';
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
  changeOwnPassword,
  createAccount,
  createPersonalToken,
  endSession,
  endSomeSessions,
  exportAccounts,
  exportResets,
  exportSessions,
  findAccount,
  findByAddress,
  findCaller,
  findPersonalToken,
  findOwnAccount,
  findPasswordReset,
  importAccounts,
  keepFirstSigningKey,
  listPersonalTokens,
  listSessions,
  listSigningKeys,
  recordUses,
  refuseSignIn,
  removeExpiredResets,
  removeExpiredSessions,
  removeOldSigningKeys,
  removeSessionsOf,
  restoreAccount,
  revokeOtherSessions,
  revokePersonalToken,
  revokeSession,
  requestPasswordReset,
  revokeSigningKey,
  rotateRefreshToken,
  startSession,
  usePasswordReset,
] as const;
