import { changeOwnPassword, findOwnAccount } from './change-password.ts';
import { removeExpiredLinks, removeExpiredSessions } from './clean.ts';
import { createPersonalToken } from './create-personal-token.ts';
import { beginRegistration } from './email/begin-registration.ts';
import { confirmEmailChange } from './email/confirm-change.ts';
import { requestEmailChange } from './email/request-change.ts';
import { requestOwnVerification, requestVerification } from './email/request-verification.ts';
import { revertEmailChange } from './email/revert-change.ts';
import { useVerification } from './email/verify.ts';
import { exportAccounts } from './export.ts';
import { findByAddress, requestPasswordReset } from './forgotten-password.ts';
import { importAccounts } from './import.ts';
import { acceptInvitation, isInvitationGood } from './invitations/accept.ts';
import { createInvitation } from './invitations/create.ts';
import { listInvitations } from './invitations/list.ts';
import { revokeInvitation } from './invitations/revoke.ts';
import { listPersonalTokens } from './list-personal-tokens.ts';
import { listSessions } from './list-sessions.ts';
import { findAccount, refuseSignIn, startSession } from './login.ts';
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
  acceptInvitation,
  addSigningKey,
  answerOtherToken,
  beginRegistration,
  changeOwnPassword,
  confirmEmailChange,
  createAccount,
  createInvitation,
  createPersonalToken,
  endSession,
  endSomeSessions,
  exportAccounts,
  findAccount,
  findByAddress,
  findCaller,
  findPersonalToken,
  findOwnAccount,
  findPasswordReset,
  importAccounts,
  isInvitationGood,
  keepFirstSigningKey,
  listInvitations,
  listPersonalTokens,
  listSessions,
  listSigningKeys,
  recordUses,
  refuseSignIn,
  removeExpiredLinks,
  removeExpiredSessions,
  removeOldSigningKeys,
  revokeInvitation,
  revokeOtherSessions,
  revokePersonalToken,
  revokeSession,
  requestEmailChange,
  requestOwnVerification,
  requestPasswordReset,
  requestVerification,
  revertEmailChange,
  revokeSigningKey,
  rotateRefreshToken,
  startSession,
  usePasswordReset,
  useVerification,
] as const;
