import type { FastifyBaseLogger } from 'fastify';
import { AccessTokens } from './auth/access-token.ts';
import { Authenticator } from './auth/authenticator.ts';
import { keepClean } from './auth/clean.ts';
import { authFormats } from './auth/contract.ts';
import type { HashingPool } from './auth/hashing/pool.ts';
import { Keyring } from './auth/keyring.ts';
import { ensureSigningKey } from './auth/keys.ts';
import { RefreshTokens } from './auth/refresh-token.ts';
import { authRoutes } from './auth/routes.ts';
import { loadTokenSecret } from './auth/secret.ts';
import type { Config } from './config.ts';
import { contentFormats } from './content/contract.ts';
import { contentRoutes } from './content/routes.ts';
import { isUnavailable } from './domain/failure.ts';
import { reasonOf } from './domain/reason.ts';
import { repeat } from './domain/repeat.ts';
import { requireAccess } from './http/access.ts';
import { docsRoutes } from './http/docs.ts';
import { healthRoutes } from './http/health.ts';
import { answerOtherMethods } from './http/methods.ts';
import { pagingFormats } from './http/paging.ts';
import { type App, createServer } from './http/server.ts';
import { nameOf } from './open-store.ts';
import { readOpenapi } from './openapi.ts';
import type { Store } from './store/store.ts';
import { userRoutes } from './users/routes.ts';

/** How often the database is asked whether it answers. */
const LOOK_MS = 1_000;

/** What the service is put together from. The caller opens these, and closes them after the app. */
export interface Parts {
  readonly config: Config;
  readonly store: Store;
  readonly hashing: HashingPool;
  readonly logger: FastifyBaseLogger;
  /** Milliseconds since 1970; tests turn it. */
  readonly clock?: () => number;
  /** Sees the server before it has routes, as the OpenAPI collector must. */
  readonly beforeRoutes?: (app: App) => Promise<void>;
}

/** Assembles the HTTP service, ready to listen. Makes the signing key and the secret at the first start. */
export async function buildApp({
  config,
  store,
  hashing,
  logger,
  clock = Date.now,
  beforeRoutes,
}: Parts): Promise<App> {
  const inBackground = (what: string) => (error: unknown) =>
    logger.error(isUnavailable(error) ? { cause: reasonOf(error) } : { err: error }, `${what} failed`);
  await ensureSigningKey(store, clock());
  const secret = await loadTokenSecret(store, config.tokenSecret);
  const keysFailed = inBackground('reading the signing keys');
  // They are read as often as the database is asked whether it answers, which tells of an outage for both.
  const keyring = await Keyring.open(store, (error) => isUnavailable(error) || keysFailed(error));
  const accessTokens = new AccessTokens(keyring, config.publicUrl ?? 'stoa', clock);
  const authenticator = new Authenticator(accessTokens, store, clock);
  store.onChange((change) => authenticator.forget(change));

  const app = createServer({
    logger,
    trustProxy: config.trustProxy,
    isHttps: config.publicUrl?.startsWith('https:') ?? false,
    formats: { ...authFormats, ...contentFormats, ...pagingFormats },
  });
  await beforeRoutes?.(app);
  requireAccess(app, (token) => authenticator.authenticate(token));
  const refuseOtherMethods = answerOtherMethods(app);

  authRoutes(app, {
    store,
    hashing,
    accessTokens,
    refreshTokens: new RefreshTokens(secret),
    authenticator,
    clock,
    passwordBlocklist: config.passwordBlocklist,
  });
  userRoutes(app, { store, listAccess: config.usersList === 'admins' ? 'admin' : 'signed_in' });
  contentRoutes(app, { store, readAccess: config.contentRead === 'public' ? 'public' : 'signed_in', clock });
  healthRoutes(app, () => store.ping());
  docsRoutes(app, readOpenapi);
  refuseOtherMethods();

  const background = [
    () => keyring.close(),
    keepClean(store, clock, inBackground('cleaning')),
    watchDatabase(config, store, logger),
  ];
  app.addHook('onClose', async () => {
    await Promise.all(background.map((stop) => stop()));
  });
  await app.ready();
  return app;
}

/** One line in the log when the database stops to answer, and one when it answers again. */
function watchDatabase(config: Config, store: Store, logger: FastifyBaseLogger): () => Promise<void> {
  const database = nameOf(config.database);
  return repeat(
    () => store.ping(),
    LOOK_MS,
    (error) => logger.error({ database, cause: reasonOf(error) }, 'the database does not answer'),
    () => logger.info({ database }, 'the database answers again'),
  );
}
