import { changeOwnPassword, findOwnAccount } from './change-password.ts';
import { removeExpired, removeExpiredSessions } from './clean.ts';
import { createPersonalToken } from './create-personal-token.ts';
import { beginRegistration } from './email/begin-registration.ts';
import { confirmEmailChange } from './email/confirm-change.ts';
import { requestEmailChange } from './email/request-change.ts';
import { requestOwnVerification, requestVerification } from './email/request-verification.ts';
import { resendEmailChange } from './email/resend-change.ts';
import { revertEmailChange } from './email/revert-change.ts';
import { useVerification } from './email/verify.ts';
import { withdrawEmailChange } from './email/withdraw-change.ts';
import { exportAccounts } from './export.ts';
import { forgetPassword, requestPasswordReset } from './forgotten-password.ts';
import { importAccounts } from './import.ts';
import { acceptInvitation, isInvitationGood } from './invitations/accept.ts';
import { createInvitation } from './invitations/create.ts';
import { listInvitations } from './invitations/list.ts';
import { revokeInvitation } from './invitations/revoke.ts';
import { listPersonalTokens, listUserPersonalTokens } from './list-personal-tokens.ts';
import { listSessions, listUserSessions } from './list-sessions.ts';
import { findAccount, refuseSignIn, startSession } from './login.ts';
import { beginOperatorReset, findForReset, setPassword } from './operator-reset.ts';
import { keepPasskey } from './passkeys/add.ts';
import { preparePasskey } from './passkeys/begin.ts';
import { findPasskey } from './passkeys/check-use.ts';
import { listPasskeys } from './passkeys/list.ts';
import { startPasskeySession } from './passkeys/login.ts';
import { removePasskey } from './passkeys/remove.ts';
import { updatePasskey } from './passkeys/update.ts';
import { removeUsedChallenges } from './passkeys/used-challenges.ts';
import {
  exportEmailLinks,
  exportInvitations,
  exportPasskeys,
  exportReservedNames,
  exportResets,
  exportSessions,
  exportTotp,
  removeClaimsOn,
  removeSessionsOf,
} from './personal-data.ts';
import { recordUses } from './personal-token-uses.ts';
import { answerOtherToken, rotateRefreshToken } from './refresh.ts';
import { createAccount } from './register.ts';
import { resendRegistration } from './resend-registration.ts';
import { findPasswordReset, usePasswordReset } from './reset-password.ts';
import { restoreAccount } from './restore.ts';
import { revokePersonalToken, revokeUserToken } from './revoke-personal-token.ts';
import { revokeOtherSessions, revokeSession, revokeUserSession } from './revoke-sessions.ts';
import { beginTotp } from './second-factor/begin-totp.ts';
import { openChallenge } from './second-factor/challenge.ts';
import { removeBegunTotps } from './second-factor/clean.ts';
import { completeChallenge } from './second-factor/complete.ts';
import { confirmTotp, tryTotp } from './second-factor/confirm-totp.ts';
import { createRecoveryCodes } from './second-factor/create-recovery-codes.ts';
import { listSecondFactors } from './second-factor/list.ts';
import { removeTotp } from './second-factor/remove-totp.ts';
import { resetSecondFactors, resetUserFactors } from './second-factor/reset.ts';
import { findTotpSecret } from './second-factor/totp-secrets.ts';
import { findChallenge, refuseSecondFactor, tryChallenge } from './second-factor/try-challenge.ts';
import { endSession, endSomeSessions, findCaller, findPersonalToken } from './session.ts';
import {
  addSigningKey,
  keepFirstSigningKey,
  listSigningKeys,
  removeOldSigningKeys,
  revokeSigningKey,
} from './signing-keys.ts';
import { updatePersonalToken } from './update-personal-token.ts';
import { updateSession } from './update-session.ts';

export const authOperations = [
  acceptInvitation,
  addSigningKey,
  answerOtherToken,
  beginOperatorReset,
  beginRegistration,
  beginTotp,
  changeOwnPassword,
  completeChallenge,
  confirmEmailChange,
  confirmTotp,
  createAccount,
  createInvitation,
  createPersonalToken,
  createRecoveryCodes,
  endSession,
  endSomeSessions,
  exportAccounts,
  exportEmailLinks,
  exportInvitations,
  exportPasskeys,
  exportReservedNames,
  exportResets,
  exportSessions,
  exportTotp,
  findAccount,
  findCaller,
  findChallenge,
  findPersonalToken,
  findForReset,
  findOwnAccount,
  findPasskey,
  findPasswordReset,
  findTotpSecret,
  forgetPassword,
  importAccounts,
  isInvitationGood,
  keepFirstSigningKey,
  keepPasskey,
  listInvitations,
  listPasskeys,
  listPersonalTokens,
  listSecondFactors,
  listSessions,
  listSigningKeys,
  listUserPersonalTokens,
  listUserSessions,
  openChallenge,
  preparePasskey,
  recordUses,
  refuseSecondFactor,
  refuseSignIn,
  removeBegunTotps,
  removeClaimsOn,
  removeExpired,
  removeExpiredSessions,
  removeOldSigningKeys,
  removePasskey,
  removeSessionsOf,
  removeTotp,
  removeUsedChallenges,
  resendEmailChange,
  resendRegistration,
  resetSecondFactors,
  resetUserFactors,
  restoreAccount,
  revokeInvitation,
  revokeOtherSessions,
  revokePersonalToken,
  revokeSession,
  revokeUserSession,
  revokeUserToken,
  requestEmailChange,
  requestOwnVerification,
  requestPasswordReset,
  requestVerification,
  revertEmailChange,
  revokeSigningKey,
  rotateRefreshToken,
  setPassword,
  startPasskeySession,
  startSession,
  tryChallenge,
  tryTotp,
  usePasswordReset,
  useVerification,
  updatePasskey,
  updatePersonalToken,
  updateSession,
  withdrawEmailChange,
] as const;
