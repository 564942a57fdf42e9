import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Peer } from '../domain/peer.ts';
import { WORKER_STATES } from '../domain/workers.ts';
import { writerForWorkers } from '../open-store.ts';
import { COUNTED, SUMS } from '../services/limits/among-workers.ts';
import type { Announcement } from '../store/announcements.ts';
import type { Store } from '../store/store.ts';
import { endBySignals, GRACE_OF_PRIMARY_MS, throwLost } from './ending.ts';
import { freePort } from './free-port.ts';
import { greet, logListening } from './greeting.ts';
import { openLogger } from './logger.ts';
import { openServerStore } from './open-server-store.ts';
import { WorkerProcesses } from './worker-processes.ts';

/** Workers are told at most this often that the feed may have grown. Live events wait as long for more. */
const TELL_MS = 20;
/** A worker that starts waits this long for what the others have counted. */
const COUNTED_MS = 2_000;

/**
 * Starts the worker processes and looks after them (docs/decisions/running.md). This process serves no requests. It has the
 * lock of the database file and the one writer on SQLite, and serves the metrics.
 */
export async function serveWithWorkers(config: Config): Promise<void> {
  const logger = await openLogger(config.logLevel);
  const port = config.port === 0 ? await freePort(config) : config.port;
  const opening = openForWorkers(config, logger);
  const workers = new WorkerProcesses({
    count: config.workers,
    port,
    logger,
    prepare: (worker) => {
      // The first worker loads its code meanwhile.
      worker.answer('ready', async () => (await opening).giveWriter?.(worker));
      worker.answer(COUNTED, () => countedBy(workers.serving));
      worker.answer(WORKER_STATES, () => workers.states());
      for (const kind of SUMS) worker.onNotice(kind, (sums) => workers.notify(kind, sums, worker));
    },
    onFailure: throwLost,
  });
  const started = workers.start();
  // Where the database cannot be opened, that is the reason to tell.
  started.catch(() => {});
  const { store, giveWriter } = await opening.catch(async (error) => {
    await workers.stop(undefined);
    throw error;
  });
  if (giveWriter) tellWorkers(store, (announcements) => workers.notify('announcements', announcements));
  const closeMetrics = await openMetrics(config, logger, store, () => workers.serving);
  const finish = async (signal?: NodeJS.Signals) => {
    try {
      await workers.stop(signal);
    } finally {
      await closeMetrics?.();
      await store.close();
    }
  };
  const ending = endBySignals({ logger, finish, graceMs: GRACE_OF_PRIMARY_MS });
  await started.catch(async (error) => {
    ending.cancel();
    await finish();
    throw error;
  });
  await greet(config, store, port);
  // On PostgreSQL each worker has connections of its own, and the primary needs none any more.
  if (!giveWriter) await store.close();
  logListening(logger, config, port);
}

/** What workers have counted, from the one that answers first. Nothing where none answers in time. */
async function countedBy(workers: readonly Peer[]): Promise<unknown> {
  if (workers.length === 0) return [];
  const late = pause(COUNTED_MS, [], { ref: false });
  return Promise.any([...workers.map((worker) => worker.call(COUNTED, null)), late]);
}

/** The store of the primary, and on SQLite what gives a worker its writer. */
async function openForWorkers(config: Config, logger: Logger) {
  const store = await openServerStore(config, logger);
  const giveWriter = config.database.kind === 'sqlite' ? await writerForWorkers(store) : undefined;
  return { store, giveWriter };
}

/** Tells the workers what the writes of all have announced, and that there may be something new for live events. */
function tellWorkers(store: Store, tell: (announcements: readonly Announcement[]) => void): void {
  store.onAnnouncement((announcement) => tell([announcement]));
  let isDue = false;
  store.onWrite(() => {
    if (isDue) return;
    isDue = true;
    const tellNow = () => {
      isDue = false;
      tell([{ topic: 'changes', key: 0 }]);
    };
    setTimeout(tellNow, TELL_MS).unref();
  });
}

async function openMetrics(config: Config, logger: Logger, store: Store, serving: () => readonly Peer[]) {
  if (!config.metrics) return undefined;
  const [{ startMetrics }, { ServiceMetrics }] = await Promise.all([
    import('../metrics/serve.ts'),
    import('../metrics/service-metrics.ts'),
  ]);
  const readings = () => (config.database.kind === 'sqlite' ? store.readings() : []);
  return startMetrics(new ServiceMetrics({ workers: serving, readings }), config.metrics, logger);
}
