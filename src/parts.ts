import type { FastifyBaseLogger } from 'fastify';
import type { Config } from './config.ts';
import { StoredBytes } from './content/stored.ts';
import type { FairQueue } from './domain/admission/fair-queue.ts';
import { Cursors } from './domain/cursors.ts';
import { Epoch } from './domain/epoch.ts';
import { reasonOf } from './domain/reason.ts';
import { DAY_MS } from './domain/time.ts';
import type { Tracing } from './domain/tracing.ts';
import type { Workers } from './domain/workers.ts';
import { Challenges } from './factors/passkeys/challenges.ts';
import { relyingPartyOf } from './factors/passkeys/relying-party.ts';
import type { HashingPool } from './passwords/hashing/pool.ts';
import { OnceRequests } from './services/idempotency/requests.ts';
import { Attempts } from './services/limits/attempts.ts';
import { LocalLimits } from './services/limits/local.ts';
import type { PersonalData } from './services/personal-data.ts';
import { Rendering } from './services/rendering/rendering.ts';
import type { Sealing } from './services/sealing/sealing.ts';
import { openSessions } from './sessions/open.ts';
import type { Store } from './store/store.ts';
import type { Figures } from './system/figures.ts';

/** What the app opens before its features. */
interface Opened {
  readonly config: Config;
  readonly store: Store;
  readonly hashing: HashingPool;
  readonly sealing: Sealing;
  /** Runs all searches, each when it is its turn. */
  readonly searches: FairQueue;
  /** Of all features, in the order of their list. */
  readonly personalData: readonly PersonalData[];
  /** What the service knows of itself. */
  readonly figures: Figures;
  /** The database without a path and a password. */
  readonly databaseName: string;
  /** For what happens outside of requests. */
  readonly log: FastifyBaseLogger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly tracing: Tracing | undefined;
  /** Undefined where this process is the whole service. */
  readonly workers: Workers | undefined;
}

/** All that features work with. Each room names what it takes. */
export type Parts = Awaited<ReturnType<typeof openParts>>;

/** What features share in this process, put together by hand. */
export async function openParts(opened: Opened) {
  const { config, store, sealing, searches, personalData, log, clock, workers } = opened;
  const limits = new LocalLimits(config, clock, workers);
  await limits.begin();
  const sessions = await openSessions({ ...config, store, sealing, limits, clock });
  return {
    ...opened,
    ...sessions,
    sendsMail: config.mail !== undefined,
    registration: config.registration,
    requiresProof: config.emailVerification === 'required',
    mfaRequired: config.mfaRequired,
    isWebhookPrivate: config.webhookPrivate,
    usersList: config.usersList,
    graceMs: config.deletionDays * DAY_MS,
    serviceName: config.publicUrl ? new URL(config.publicUrl).hostname : 'Stoa',
    passwordBlocklist: config.passwordBlocklist,
    sections: personalData.flatMap((each) => each.sections),
    notice: (message: string, error: unknown) => log.error({ cause: reasonOf(error) }, message),
    passkeys: {
      relyingParty: relyingPartyOf(config.publicUrl, config.corsOrigins),
      challenges: new Challenges(sessions.secret),
    },
    cursors: new Cursors(sessions.secret, sessions.restoredAt),
    epoch: new Epoch(sessions.secret, sessions.restoredAt),
    rendering: config.render ? new Rendering({ clock }) : undefined,
    attempts: new Attempts(workers?.count),
    onceRequests: new OnceRequests(store, clock),
    stored: new StoredBytes({ store, searches, clock, workers }, config.storedMebibytes),
  };
}
