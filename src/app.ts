import cookies from '@fastify/cookie';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import { DETAILS } from './document.ts';
import { Admission } from './domain/admission/admission.ts';
import { BoundedLog } from './domain/bounded-log.ts';
import { JobRunner } from './domain/jobs.ts';
import { outsideRequests } from './domain/spent.ts';
import type { Workers } from './domain/workers.ts';
import { setUpFirst } from './factors/set-up-first.ts';
import type { OpenFeature } from './feature.ts';
import { FEATURES, PERSONAL_DATA } from './features.ts';
import { type Authenticate, requireAccess } from './http/access.ts';
import { docsRoutes } from './http/docs.ts';
import { answerOtherMethods } from './http/methods.ts';
import { pagingFormats } from './http/paging.ts';
import { RequestFigures } from './http/request-figures.ts';
import { type App, createServer } from './http/server.ts';
import { type Checks, serviceRoutes } from './http/service.ts';
import { timeFormats } from './http/time-query.ts';
import type { Formats } from './http/validation.ts';
import { Measured } from './metrics/measured.ts';
import { nameOf } from './open-database.ts';
import { openSealingOf } from './open-sealing.ts';
import { readOpenapi } from './openapi.ts';
import { openParts } from './parts.ts';
import type { HashingPool } from './passwords/hashing/pool.ts';
import { beyondScope } from './sessions/scope.ts';
import type { Store } from './store/store.ts';
import { timedStore } from './store/timed-store.ts';
import { VERSION } from './version.ts';
import { watchStorage } from './watch-storage.ts';

/** What `buildApp` needs. The caller opens these, and closes them after the app. */
export interface Assembly {
  readonly config: Config;
  readonly store: Store;
  readonly hashing: HashingPool;
  readonly logger: FastifyBaseLogger;
  /** Milliseconds since 1970. Tests replace it. */
  readonly clock?: () => number;
  /** The others of a service that has several processes. Undefined where this process is the whole service. */
  readonly workers?: Workers | undefined;
  /** Called with the server before it has routes. The OpenAPI collector needs that. */
  readonly beforeRoutes?: (app: App) => Promise<void>;
}

/** Assembles the HTTP service of all features, ready to listen. */
export async function buildApp({
  config,
  store: untimed,
  hashing,
  logger,
  clock = Date.now,
  workers,
  beforeRoutes,
}: Assembly): Promise<App> {
  const slow = new BoundedLog(logger);
  const store = timedStore(untimed, slow);
  const notice = (message: string) => logger.warn(message);
  const tracing =
    config.traces &&
    (await import('./traces/open.ts')).openTracing(config.traces, config.database.kind, VERSION, logger);
  const sealing = await openSealingOf(config, store, { notice });
  const admission = new Admission(searchesAtOnce(config), workers?.count);
  const { searches } = admission;
  const shared = { store, hashing, sealing, searches, personalData: PERSONAL_DATA };
  const jobs = new JobRunner((message, error) =>
    error === undefined ? logger.info(message) : logger.error({ err: error }, message),
  );
  const storage = watchStorage(storageOf(config), store, logger);
  // Each feature takes figures of all features, so the figures read this list only when somebody asks for them.
  const features: OpenFeature[] = [];
  const measures = () => [() => store.measure(), ...features.flatMap(({ measure }) => measure ?? [])];
  const measured = new Measured(measures, clock);
  const figures = {
    startedAt: clock(),
    jobs: () => jobs.states,
    readings: () => [
      ...[admission, hashing, jobs].flatMap((each) => each.readings),
      ...[store, storage, ...features].flatMap((each) => each.readings?.() ?? []),
    ],
    measured: () => measured.readings(),
    outbox: () => checksOf(features).outbox?.(),
  };
  const databaseName = nameWithoutPath(config);
  const parts = await openParts({
    config,
    ...shared,
    figures,
    databaseName,
    log: logger,
    clock,
    tracing,
    workers,
  });
  for (const { open } of FEATURES) if (open) features.push(await open(parts));
  const requestFigures = config.metrics && new RequestFigures();
  const app = createServer({
    logger,
    slow,
    trustProxy: config.trustProxy,
    publicUrl: config.publicUrl,
    corsOrigins: config.corsOrigins,
    exposedHeaders: features.flatMap(({ exposedHeaders }) => exposedHeaders ?? []),
    failures: Object.assign({}, ...features.map(({ failures }) => failures)),
    formats: { ...pagingFormats, ...timeFormats, ...formatsOf(features) },
    admission,
    requestFigures,
    tracing,
  });
  app.decorate('epoch', parts.epoch);
  // Most routes have no cookie. So a cookie is read only when a route asks for it.
  await app.register(cookies, { hook: false });
  await beforeRoutes?.(app);
  requireAccess(app, authenticateOf(features), [beyondScope, setUpFirst(config.mfaRequired)]);
  const refuseOtherMethods = answerOtherMethods(app);
  for (const { routes } of features) routes?.(app);
  serviceRoutes(app, config.publicUrl, () => store.ping(), DETAILS, checksOf(features));
  docsRoutes(app, readOpenapi);
  refuseOtherMethods();

  // What is added first is called last.
  app.addHook('onClose', () => tracing?.close());
  app.addHook('onClose', () => jobs.close());
  app.addHook('onClose', () => measured.settled());
  if (config.metrics) {
    const sources = {
      readings: () => [...(requestFigures?.readings ?? []), ...figures.readings()],
      measured,
    };
    if (workers) (await import('./metrics/worker-report.ts')).reportMetrics(workers.primary, sources);
    else {
      const { serveMetrics } = await import('./metrics/serve.ts');
      await serveMetrics(app, { address: config.metrics, log: logger, ...sources });
    }
  }
  for (const job of [storage.job, ...features.flatMap((feature) => feature.jobs ?? [])]) jobs.start(job);
  store.onWrite(() => outsideRequests(() => jobs.wake()));
  await app.ready();
  return app;
}

function storageOf({ database }: Config) {
  return { name: nameOf(database), file: database.kind === 'sqlite' ? database.file : undefined };
}

/** The same without a path, for those who do not see the machine. */
function nameWithoutPath({ database }: Config): string {
  return database.kind === 'sqlite' ? 'sqlite' : nameOf(database);
}

/** SQLite has one thread for searches. On PostgreSQL they take a third of the connections: others need the rest. */
function searchesAtOnce({ database }: Config): number {
  return database.kind === 'sqlite' ? 1 : Math.max(1, Math.floor(database.poolSize / 3));
}

function formatsOf(features: readonly OpenFeature[]): Formats {
  return Object.fromEntries(features.flatMap(({ formats }) => Object.entries(formats ?? {})));
}

function checksOf(features: readonly OpenFeature[]): Checks {
  return Object.assign({}, ...features.map(({ checks }) => checks));
}

function authenticateOf(features: readonly OpenFeature[]): Authenticate {
  const [authenticate] = features.flatMap((feature) => feature.authenticate ?? []);
  if (!authenticate) throw new Error('No feature knows access tokens.');
  return authenticate;
}
