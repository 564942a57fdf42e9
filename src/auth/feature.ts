import { reasonOf } from '../domain/reason.ts';
import { MINUTE_MS } from '../domain/time.ts';
import type { FeatureContext, OpenFeature } from '../feature.ts';
import { Attempts } from '../services/throttle/attempts.ts';
import { Budget } from '../services/throttle/budget.ts';
import { AccessTokens } from './access-token.ts';
import { Authenticator } from './authenticator.ts';
import { changePasswordRoute } from './change-password.route.ts';
import { clean } from './clean.ts';
import { authFormats } from './contract.ts';
import { createPersonalTokenRoute } from './create-personal-token.route.ts';
import { confirmEmailChangeRoute } from './email/confirm-change.route.ts';
import { requestEmailChangeRoute } from './email/request-change.route.ts';
import { requestVerificationRoute } from './email/request-verification.route.ts';
import { resendEmailChangeRoute } from './email/resend-change.route.ts';
import { revertEmailChangeRoute } from './email/revert-change.route.ts';
import { verifyEmailRoute } from './email/verify.route.ts';
import { withdrawEmailChangeRoute } from './email/withdraw-change.route.ts';
import { forgottenPasswordRoute } from './forgotten-password.route.ts';
import { createInvitationRoute } from './invitations/create.route.ts';
import { listInvitationsRoute } from './invitations/list.route.ts';
import { revokeInvitationRoute } from './invitations/revoke.route.ts';
import { jwksRoute } from './jwks.route.ts';
import { Keyring } from './keyring.ts';
import { ensureSigningKey } from './keys.ts';
import { listPersonalTokensRoute } from './list-personal-tokens.route.ts';
import { listSessionsRoute } from './list-sessions.route.ts';
import { listUserSessionsRoute } from './list-user-sessions.route.ts';
import { listUserTokensRoute } from './list-user-tokens.route.ts';
import { loginRoute } from './login.route.ts';
import { logoutRoute } from './logout.route.ts';
import { mailPageRoutes } from './mail-pages.route.ts';
import { passkeyFormats } from './passkeys/contract.ts';
import { listPasskeysRoute } from './passkeys/list.route.ts';
import { beginPasskeyLoginRoute, passkeyLoginRoute } from './passkeys/login.route.ts';
import { openPasskeys } from './passkeys/parts.ts';
import { addPasskeyRoute, beginPasskeyRoute } from './passkeys/registration.route.ts';
import { removePasskeyRoute } from './passkeys/remove.route.ts';
import { updatePasskeyRoute } from './passkeys/update.route.ts';
import { PersonalTokenUses } from './personal-token-uses.ts';
import { refreshRoute } from './refresh.route.ts';
import { RefreshTokens } from './refresh-token.ts';
import { Refusals } from './refusals.ts';
import { registerRoute } from './register.route.ts';
import { resendRegistrationRoute } from './resend-registration.route.ts';
import { resetPasswordRoute } from './reset-password.route.ts';
import { restoreRoute } from './restore.route.ts';
import { revokeOtherSessionsRoute } from './revoke-other-sessions.route.ts';
import { revokePersonalTokenRoute } from './revoke-personal-token.route.ts';
import { revokeSessionRoute } from './revoke-session.route.ts';
import { revokeUserSessionRoute } from './revoke-user-session.route.ts';
import { revokeUserTokenRoute } from './revoke-user-token.route.ts';
import { beginTotpRoute } from './second-factor/begin-totp.route.ts';
import { completeSignInRoute } from './second-factor/complete.route.ts';
import { confirmTotpRoute } from './second-factor/confirm-totp.route.ts';
import { createRecoveryCodesRoute } from './second-factor/create-recovery-codes.route.ts';
import { listSecondFactorsRoute } from './second-factor/list.route.ts';
import { removeTotpRoute } from './second-factor/remove-totp.route.ts';
import { resetUserFactorsRoute } from './second-factor/reset.route.ts';
import { loadTokenSecret } from './secret.ts';
import { authSettingsRoute } from './settings.route.ts';
import { updatePersonalTokenRoute } from './update-personal-token.route.ts';
import { updateSessionRoute } from './update-session.route.ts';

/** A key that any instance adds or removes is known here within a second. */
const RELOAD_MS = 900;
/** Of one account: the names of its sessions, tokens and passkeys. */
const NAME_CHANGES_PER_HOUR = 200;
/** Of one source. A whole office may forget its passwords; nobody may fill the mailboxes of others. */
const RESETS_PER_HOUR = 100;
/** Of one source. Nobody guesses 256 bits: this bounds the writes that tries cost. */
const LINKS_PER_HOUR = 1_000;

const ROUTES = [
  registerRoute,
  resendRegistrationRoute,
  loginRoute,
  completeSignInRoute,
  refreshRoute,
  restoreRoute,
  logoutRoute,
  changePasswordRoute,
  forgottenPasswordRoute,
  resetPasswordRoute,
  verifyEmailRoute,
  requestVerificationRoute,
  requestEmailChangeRoute,
  resendEmailChangeRoute,
  withdrawEmailChangeRoute,
  confirmEmailChangeRoute,
  revertEmailChangeRoute,
  createInvitationRoute,
  listInvitationsRoute,
  revokeInvitationRoute,
  mailPageRoutes,
  listSessionsRoute,
  updateSessionRoute,
  revokeSessionRoute,
  revokeOtherSessionsRoute,
  beginTotpRoute,
  confirmTotpRoute,
  removeTotpRoute,
  createRecoveryCodesRoute,
  listSecondFactorsRoute,
  createPersonalTokenRoute,
  listPersonalTokensRoute,
  updatePersonalTokenRoute,
  revokePersonalTokenRoute,
  beginPasskeyRoute,
  addPasskeyRoute,
  listPasskeysRoute,
  updatePasskeyRoute,
  removePasskeyRoute,
  beginPasskeyLoginRoute,
  passkeyLoginRoute,
  listUserSessionsRoute,
  revokeUserSessionRoute,
  listUserTokensRoute,
  revokeUserTokenRoute,
  resetUserFactorsRoute,
  authSettingsRoute,
  jwksRoute,
];

/** All under /api/auth and /api/invitations, what admins do to the sessions, tokens and factors of accounts, the pages of mailed links, and the public keys. Makes the signing key and the secret at the first start. */
export async function openAuth({
  config,
  store,
  hashing,
  sealing,
  sessionsEnded,
  log,
  clock,
}: FeatureContext): Promise<OpenFeature> {
  await ensureSigningKey(store, sealing, clock());
  const secret = await loadTokenSecret(store, sealing);
  const refreshTokens = new RefreshTokens(secret);
  const keyring = await Keyring.open(store, sealing);
  const accessTokens = new AccessTokens(keyring, config.publicUrl ?? 'stoa', clock);
  const uses = new PersonalTokenUses();
  const authenticator = new Authenticator(accessTokens, uses, store, clock);
  store.onChange((change) => authenticator.forget(change));
  sessionsEnded.listen(() => authenticator.forget('anything'));
  const parts = {
    store,
    hashing,
    sealing,
    sendsMail: config.mail !== undefined,
    registration: config.registration,
    requiresProof: config.emailVerification === 'required',
    notice: (message: string, error: unknown) => log.error({ cause: reasonOf(error) }, message),
    attempts: new Attempts(),
    registrations: new Budget(
      config.registrationsPerHour,
      'Too many accounts were registered; try again later.',
    ),
    nameChanges: new Budget(NAME_CHANGES_PER_HOUR, 'Your account changed too many names; try again later.'),
    passwordResets: new Budget(RESETS_PER_HOUR, 'Too many new passwords were asked for; try again later.'),
    passkeys: openPasskeys(config, secret),
    mailedLinks: new Budget(LINKS_PER_HOUR, 'Too many links were asked for or tried; try again later.'),
    refusals: new Refusals(config.refusedRefreshesPerHour),
    accessTokens,
    refreshTokens,
    authenticator,
    ownPages: config,
    clock,
    sessionLimit: config.sessionLimit,
    mfaRequired: config.mfaRequired,
    issuer: config.publicUrl ? new URL(config.publicUrl).hostname : 'Stoa',
    passwordBlocklist: config.passwordBlocklist,
  };
  return {
    formats: { ...authFormats, ...passkeyFormats },
    authenticate: (token) => authenticator.authenticate(token),
    routes: (app) => {
      for (const add of ROUTES) add(app, parts);
    },
    jobs: [
      { name: 'reading the signing keys', every: RELOAD_MS, run: () => keyring.reload() },
      { name: 'keeping the last use of tokens', every: MINUTE_MS, run: () => uses.write(store) },
      { name: 'cleaning', every: MINUTE_MS, run: () => clean(store, clock()) },
    ],
  };
}
