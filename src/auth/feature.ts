import { reasonOf } from '../domain/reason.ts';
import type { FeatureContext, OpenFeature } from '../feature.ts';
import { Attempts } from '../services/throttle/attempts.ts';
import { Budget } from '../services/throttle/budget.ts';
import { AccessTokens } from './access-token.ts';
import { Authenticator } from './authenticator.ts';
import { changePasswordRoute } from './change-password.route.ts';
import { clean } from './clean.ts';
import { authFormats } from './contract.ts';
import { forgottenPasswordRoute } from './forgotten-password.route.ts';
import { jwksRoute } from './jwks.route.ts';
import { Keyring } from './keyring.ts';
import { ensureSigningKey } from './keys.ts';
import { loginRoute } from './login.route.ts';
import { logoutRoute } from './logout.route.ts';
import { refreshRoute } from './refresh.route.ts';
import { RefreshTokens } from './refresh-token.ts';
import { Refusals } from './refusals.ts';
import { registerRoute } from './register.route.ts';
import { resetPageRoute } from './reset-page.route.ts';
import { resetPasswordRoute } from './reset-password.route.ts';
import { loadTokenSecret } from './secret.ts';

/** A key that any instance adds or removes is known here within a second. */
const RELOAD_MS = 900;
const CLEAN_MS = 60_000;

/** Of one account. Each change makes all instances read the sessions of everybody anew. */
const CHANGES_PER_HOUR = 20;
/** Of one source. A whole office may forget its passwords; nobody may fill the mailboxes of others. */
const RESETS_PER_HOUR = 100;

const ROUTES = [
  registerRoute,
  loginRoute,
  refreshRoute,
  logoutRoute,
  changePasswordRoute,
  forgottenPasswordRoute,
  resetPasswordRoute,
  resetPageRoute,
  jwksRoute,
];

/** Registering, logging in and out, refreshing, passwords. Makes the signing key and the secret at the first start. */
export async function openAuth({
  config,
  store,
  hashing,
  sealing,
  log,
  clock,
}: FeatureContext): Promise<OpenFeature> {
  await ensureSigningKey(store, sealing, clock());
  const refreshTokens = new RefreshTokens(await loadTokenSecret(store, sealing));
  const keyring = await Keyring.open(store, sealing);
  const accessTokens = new AccessTokens(keyring, config.publicUrl ?? 'stoa', clock);
  const authenticator = new Authenticator(accessTokens, store, clock);
  store.onChange((change) => authenticator.forget(change));
  const parts = {
    store,
    hashing,
    sealing,
    sendsMail: config.mail !== undefined,
    notice: (message: string, error: unknown) => log.error({ cause: reasonOf(error) }, message),
    attempts: new Attempts(),
    registrations: new Budget(
      config.registrationsPerHour,
      'Too many accounts were registered; try again later.',
    ),
    passwordChanges: new Budget(CHANGES_PER_HOUR, 'The password was changed too often; try again later.'),
    passwordResets: new Budget(RESETS_PER_HOUR, 'Too many new passwords were asked for; try again later.'),
    refusals: new Refusals(config.refusedRefreshesPerHour),
    accessTokens,
    refreshTokens,
    authenticator,
    clock,
    sessionsPerAccount: config.sessionsPerAccount,
    passwordBlocklist: config.passwordBlocklist,
  };
  return {
    formats: authFormats,
    authenticate: (token) => authenticator.authenticate(token),
    routes: (app) => {
      for (const add of ROUTES) add(app, parts);
    },
    jobs: [
      { name: 'reading the signing keys', every: RELOAD_MS, run: () => keyring.reload() },
      { name: 'cleaning', every: CLEAN_MS, run: () => clean(store, clock()) },
    ],
  };
}
