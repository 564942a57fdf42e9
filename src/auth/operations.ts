import { changeOwnPassword, findOwnAccount } from './change-password.ts';
import { removeExpiredResets, removeExpiredSessions } from './clean.ts';
import { createPersonalToken } from './create-personal-token.ts';
import { exportAccounts } from './export.ts';
import { findByAddress, requestPasswordReset } from './forgotten-password.ts';
import { importAccounts } from './import.ts';
import { listPersonalTokens } from './list-personal-tokens.ts';
import { listSessions } from './list-sessions.ts';
import { findAccount, refuseSignIn, startSession } from './login.ts';
import { keepPasskey } from './passkeys/add.ts';
import { preparePasskey } from './passkeys/begin-registration.ts';
import { listPasskeys } from './passkeys/list.ts';
import { findPasskey, startPasskeySession } from './passkeys/login.ts';
import { removePasskey } from './passkeys/remove.ts';
import { removeUsedChallenges } from './passkeys/used-challenges.ts';
import { recordUses } from './personal-token-uses.ts';
import { answerOtherToken, rotateRefreshToken } from './refresh.ts';
import { createAccount } from './register.ts';
import { findPasswordReset, usePasswordReset } from './reset-password.ts';
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
  findAccount,
  findByAddress,
  findCaller,
  findPersonalToken,
  findOwnAccount,
  findPasskey,
  findPasswordReset,
  importAccounts,
  keepFirstSigningKey,
  keepPasskey,
  listPasskeys,
  listPersonalTokens,
  listSessions,
  listSigningKeys,
  preparePasskey,
  recordUses,
  refuseSignIn,
  removeExpiredResets,
  removeExpiredSessions,
  removeOldSigningKeys,
  removePasskey,
  removeUsedChallenges,
  revokeOtherSessions,
  revokePersonalToken,
  revokeSession,
  requestPasswordReset,
  revokeSigningKey,
  rotateRefreshToken,
  startPasskeySession,
  startSession,
  usePasswordReset,
] as const;
