import cluster, { type Worker } from 'node:cluster';
import { existsSync, realpathSync } from 'node:fs';
import type { Logger } from 'pino';
import { OperatorError } from '../domain/operator-error.ts';
import { Peer } from '../domain/peer.ts';
import type { WorkerState } from '../domain/workers.ts';
import { MAY_LISTEN, STOPPED_LISTENING } from './primary-link.ts';
import { statesOf, type WorkerPlace } from './worker-states.ts';

/** After this many starts in a row that came to nothing, no further one is tried. */
const FAILED_STARTS = 3;
/** A worker that lived shorter is replaced after a pause, so that one that keeps ending does not take all processors. */
const SHORT_LIFE_MS = 10_000;
const PAUSE_MS = 1_000;

interface WorkerProcess {
  readonly process: Worker;
  readonly peer: Peer;
  readonly startedAt: number;
  readonly place: WorkerPlace;
  /** It takes requests, or may begin to at any moment: from its permission until it has stopped. */
  mayListen: boolean;
  isServing: boolean;
}

/** What is known of each worker that ended. One that could not be forked has no process. */
type Ended = Pick<WorkerProcess, 'isServing' | 'startedAt' | 'place'> &
  Partial<Pick<WorkerProcess, 'process'>>;

interface Options {
  readonly count: number;
  /** Not 0, or workers that start when none serves would get another port. */
  readonly port: number;
  readonly logger: Logger;
  /** Called with each new worker, before it starts. */
  readonly prepare: (worker: Peer) => void;
  /** Called when no worker can be started any more, once they have served. */
  readonly onFailure: (reason: OperatorError) => void;
}

/** The worker processes of a service. One that ends is replaced. */
export class WorkerProcesses {
  readonly #options: Options;
  readonly #places: readonly WorkerPlace[];
  readonly #running = new Set<WorkerProcess>();
  readonly #started = Promise.withResolvers<void>();
  #isServing = false;
  #failedStarts = 0;
  #stopping: { readonly done: () => void; readonly isOrderly: boolean; hasFailed: boolean } | undefined;
  /** Resolved when none accepts connections any more. */
  readonly #silence = Promise.withResolvers<void>();

  constructor(options: Options) {
    this.#options = options;
    this.#places = Array.from({ length: options.count }, (_, index) => ({ number: index + 1, restarts: 0 }));
    // Workers accept for themselves. Node.js forgets a connection that the primary was giving to a worker when that worker
    // was killed, so its client would wait without end.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    // An upgrade may lead a link of this path to another version, and a worker runs the one of its primary. Node.js
    // takes a path without `.js` too.
    const [, main = ''] = process.argv;
    cluster.setupPrimary({ serialization: 'advanced', exec: existsSync(main) ? realpathSync(main) : main });
  }

  /**
   * Resolves when the first worker serves. The others start after it: what only the first start of a service makes is there
   * then, and what keeps it from starting is said once.
   */
  async start(): Promise<void> {
    const [first] = this.#places;
    if (first) this.#fork(first);
    return this.#started.promise;
  }

  /** Those that serve. */
  get serving(): readonly Peer[] {
    return [...this.#running].filter(({ isServing }) => isServing).map(({ peer }) => peer);
  }

  /** How each is now, in the order of their numbers. */
  states(): Promise<WorkerState[]> {
    return statesOf(this.#places, [...this.#running]);
  }

  /** Sends the notice to all workers but one. */
  notify(name: string, input: unknown, except?: Peer): void {
    for (const { peer } of this.#running) if (peer !== except) peer.notify(name, input);
  }

  /** Resolves when all workers have finished their requests and ended. Fails if one has not finished. */
  async stop(signal: NodeJS.Signals | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stopping = { done: resolve, isOrderly: signal !== undefined, hasFailed: false };
    this.#stopping = stopping;
    for (const { process, peer, mayListen } of this.#running) {
      if (signal && mayListen) peer.notify('stop', signal);
      else process.kill('SIGKILL');
    }
    if (this.#running.size > 0) await promise;
    if (stopping.hasFailed) throw new Error('A worker ended before it had finished.');
  }

  #fork(place: WorkerPlace): void {
    if (this.#stopping) return;
    const startedAt = performance.now();
    const process = this.#newProcess();
    if (process instanceof Error) {
      this.#replace({ place, isServing: false, startedAt }, unstarted(process));
      return;
    }
    const peer = new Peer({
      send: (message) => {
        if (process.isConnected()) process.send(message, undefined, undefined, () => {});
      },
      onMessage: (listener) => process.on('message', listener),
    });
    const worker: WorkerProcess = { process, peer, startedAt, place, mayListen: false, isServing: false };
    this.#running.add(worker);
    peer.answer(MAY_LISTEN, () => this.#letListen(worker));
    peer.answer(STOPPED_LISTENING, () => this.#stoppedListening(worker));
    this.#options.prepare(peer);
    process.once('listening', () => this.#serves(worker));
    process.once('exit', (code, signal) => {
      this.#ended(worker, signal === null ? `with code ${code}` : `by ${signal}`, code === 0);
    });
    process.on('error', (error) => {
      this.#options.logger.error({ err: error }, 'a worker process failed');
      // Where the system has no process or no descriptor left, Node.js says so here, and of no exit.
      if (pidOf(worker) === undefined) this.#ended(worker, unstarted(error), false);
    });
  }

  /** Other reasons than those that become an event of the process are thrown by Node.js. */
  #newProcess(): Worker | Error {
    try {
      return cluster.fork({ PORT: this.#options.port });
    } catch (error) {
      this.#options.logger.error({ err: error }, 'a worker process failed');
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Never resolves for a worker that is about to be killed. */
  #letListen(worker: WorkerProcess): Promise<void> {
    if (this.#stopping) return new Promise(() => {});
    worker.mayListen = true;
    return Promise.resolve();
  }

  /** Resolves when the others have stopped too: a new connection is refused then, and not lost. */
  #stoppedListening(worker: WorkerProcess): Promise<void> {
    worker.mayListen = false;
    this.#checkSilence();
    return this.#silence.promise;
  }

  #checkSilence(): void {
    if (![...this.#running].some(({ mayListen }) => mayListen)) this.#silence.resolve();
  }

  #serves(worker: WorkerProcess): void {
    worker.isServing = true;
    this.#failedStarts = 0;
    if (worker.place.restarts > 0)
      this.#options.logger.info(
        { worker: pidOf(worker) },
        'a worker has taken the place of the one that ended',
      );
    if (this.#isServing) return;
    this.#isServing = true;
    for (const place of this.#places.slice(1)) this.#fork(place);
    this.#started.resolve();
  }

  #ended(worker: WorkerProcess, how: string, isClean: boolean): void {
    this.#running.delete(worker);
    worker.peer.lose(new Error(`The worker ended ${how}.`));
    if (!this.#stopping) {
      this.#replace(worker, how);
      return;
    }
    if (!isClean && worker.isServing && this.#stopping.isOrderly) this.#stopping.hasFailed = true;
    this.#checkSilence();
    if (this.#running.size === 0) this.#stopping.done();
  }

  #replace(ended: Ended, how: string): void {
    if (!ended.isServing && ++this.#failedStarts >= (this.#isServing ? FAILED_STARTS : 1)) {
      this.#fail(how);
      return;
    }
    const isShort = performance.now() - ended.startedAt < SHORT_LIFE_MS;
    const about = { worker: pidOf(ended), ended: how };
    this.#options.logger.error(about, 'a worker ended unexpectedly; another one takes its place');
    ended.place.restarts++;
    setTimeout(() => this.#fork(ended.place), isShort ? PAUSE_MS : 0);
  }

  #fail(how: string): void {
    const times = this.#isServing ? ` ${FAILED_STARTS} times in a row` : '';
    const reason = new OperatorError(
      `A worker ended ${how} before it could serve${times}; see what it said above, and start the service again.`,
    );
    this.#started.reject(reason);
    if (this.#isServing) this.#options.onFailure(reason);
  }
}

function pidOf({ process }: Partial<WorkerProcess>): number | undefined {
  return process?.process.pid;
}

/** How a worker ended that never had a process. */
function unstarted({ message }: Error): string {
  return `at its start (${message})`;
}
