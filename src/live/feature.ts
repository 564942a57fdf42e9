import type { FastifyBaseLogger } from 'fastify';
import type { Job } from '../domain/jobs.ts';
import { readingsOf } from '../domain/metrics.ts';
import { reasonOf } from '../domain/reason.ts';
import type { MfaRequired } from '../domain/second-factor.ts';
import { partOf, type Workers } from '../domain/workers.ts';
import { setUpFirst } from '../factors/set-up-first.ts';
import type { OpenFeature } from '../feature.ts';
import type { Keyring } from '../sessions/keyring.ts';
import type { Store } from '../store/store.ts';
import type { UsersList } from './audience.ts';
import { CatchUp } from './catch-up.ts';
import { Check } from './check.ts';
import { inTurns } from './in-turns.ts';
import { Listeners } from './listeners.ts';
import { Opening } from './open.ts';
import { liveRoutes } from './routes.ts';
import { Teller } from './teller.ts';

/** Proxies close connections on which nothing moves, most after a minute. */
const KEEP_MS = 15_000;

interface Context {
  readonly config: { readonly eventsMost: number };
  readonly store: Store;
  readonly keyring: Keyring;
  readonly mfaRequired: MfaRequired;
  readonly usersList: UsersList;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly workers: Workers | undefined;
}

/** Live events: those who listen to the feed of changes at this process. */
export async function openLive(context: Context): Promise<OpenFeature> {
  const { config, store, keyring, mfaRequired, usersList, log, clock, workers } = context;
  const listeners = new Listeners(partOf(config.eventsMost, workers?.count ?? 1));
  const obstacle = setUpFirst(mfaRequired);
  const check = new Check({
    ...{ store, keyring, listeners, clock },
    isHindered: (caller) => obstacle(caller) !== undefined,
  });
  const teller = new Teller({ store, listeners, check, usersList });
  const catchUp = new CatchUp({ store, teller, usersList });
  const onFailure = (error: unknown) =>
    log.warn({ cause: reasonOf(error) }, 'a stream of events ended early');
  const opening = new Opening({ store, keyring, listeners, teller, catchUp, onFailure, clock });
  const keeping: Job = {
    name: 'keeping streams open',
    every: KEEP_MS,
    run: () => inTurns(listeners.all, (listener) => listener.keep()),
  };
  return {
    routes: (app) => liveRoutes(app, { store, keyring, opening, clock }),
    readings: () => readingsOf({ stoa_event_streams: listeners.count }),
    jobs: [check.job, teller.job, keeping],
  };
}
