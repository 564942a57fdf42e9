import type { FastifyBaseLogger } from 'fastify';
import type { PersonalData } from './accounts/personal-data.ts';
import type { HashingPool } from './auth/hashing/pool.ts';
import type { Config } from './config.ts';
import type { Job } from './domain/jobs.ts';
import type { Signal } from './domain/signal.ts';
import type { Authenticate } from './http/access.ts';
import type { App } from './http/server.ts';
import type { Checks } from './http/service.ts';
import type { Formats } from './http/validation.ts';
import type { Backlog } from './move/backlog.ts';
import type { Sealing } from './services/sealing/sealing.ts';
import type { Searches } from './services/searches/searches.ts';
import type { Store } from './store/store.ts';
import type { FeatureTables } from './store/tables.ts';

/** One part of what Stoa is made of (features.ts). */
export interface Feature {
  readonly name: string;
  readonly tables?: FeatureTables;
  /** What runs in the threads of the store. It loads no HTTP and no token library. */
  readonly operations?: () => Promise<readonly { readonly name: string }[]>;
  /** What a move has to work off after it has copied the tables. */
  readonly backlogs?: () => Promise<readonly Backlog[]>;
  /** What the feature has of accounts. */
  readonly personalData?: () => Promise<PersonalData>;
  /** Makes what the feature brings to the HTTP service. */
  readonly open?: (context: FeatureContext) => Promise<OpenFeature>;
}

export interface FeatureContext {
  readonly config: Config;
  readonly store: Store;
  readonly hashing: HashingPool;
  readonly sealing: Sealing;
  /** Every search waits here for its turn. */
  readonly searches: Searches;
  /** Of all features, in the order of their list. */
  readonly personalData: readonly PersonalData[];
  /** A feature that ended sessions sends it, so that this process asks for them anew at once. */
  readonly sessionsEnded: Signal;
  /** For what happens outside of any request. */
  readonly log: FastifyBaseLogger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export interface OpenFeature {
  /** Adds its routes; each states who may call it. */
  readonly routes?: (app: App) => void;
  /** String formats that its schemas name. */
  readonly formats?: Formats;
  readonly jobs?: readonly Job[];
  /** Details of readiness. */
  readonly checks?: Checks;
  /** The one feature that knows access tokens has this. */
  readonly authenticate?: Authenticate;
}
