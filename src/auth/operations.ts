import { changeOwnPassword, findOwnAccount } from './change-password.ts';
import { removeExpiredResets, removeExpiredSessions } from './clean.ts';
import { findByAddress, requestPasswordReset } from './forgotten-password.ts';
import { findAccount, refuseSignIn, startSession } from './login.ts';
import { answerOtherToken, rotateRefreshToken } from './refresh.ts';
import { createAccount } from './register.ts';
import { findPasswordReset, usePasswordReset } from './reset-password.ts';
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
  changeOwnPassword,
  createAccount,
  endSession,
  endSomeSessions,
  findAccount,
  findByAddress,
  findCaller,
  findOwnAccount,
  findPasswordReset,
  keepFirstSigningKey,
  listSigningKeys,
  refuseSignIn,
  removeExpiredResets,
  removeExpiredSessions,
  removeOldSigningKeys,
  requestPasswordReset,
  revokeSigningKey,
  rotateRefreshToken,
  startSession,
  usePasswordReset,
] as const;
