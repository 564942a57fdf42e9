import { availableParallelism } from 'node:os';
import { ADMISSION } from '../../domain/admission/figures.ts';
import { Turns } from '../../domain/admission/turns.ts';
import { busy, Failure } from '../../domain/failure.ts';
import { type Reading, readingsOf } from '../../domain/metrics.ts';
import { timed } from '../../domain/spent.ts';
import { inNfc } from '../../domain/stream-safe.ts';
import { Thread } from '../../domain/thread.ts';
import { partOf } from '../../domain/workers.ts';
import { answers, type HashingJob, TOGETHER } from './job.ts';
import { isOutdated, NOBODYS_HASH } from './parameters.ts';

interface Waiting extends PromiseWithResolvers<string | boolean> {
  readonly job: HashingJob;
}

/** For whom a password is hashed. */
interface Asker {
  /** Where the request comes from (`sourceOf`). */
  readonly source: string;
  /** Has it signed in to this account before, or just proved that it may? */
  readonly isKnown: boolean;
}

/** Commands of an operator. */
const OPERATOR: Asker = { source: 'operator', isKnown: true };

/**
 * Hashes and verifies passwords outside of the HTTP thread, with one thread per core. The queue is bounded, and its
 * sources take turns. One half is for known devices, so that no flood of strangers fills it. A thread starts when all
 * others are busy. A thread that ends fails the jobs that it has, and a new one takes its place. Every password is
 * given as it was sent, and made NFC here.
 */
export class HashingPool {
  readonly #threads: readonly Thread<HashingJob, string | boolean>[];
  readonly #waiting: Turns<'known' | 'stranger', Waiting>;
  /** How many expensive jobs wait. */
  #expensive = 0;
  #begun = 0;
  #refused = 0;
  #isClosed = false;

  /** `most`: how many jobs may wait of known devices, and as many of strangers. */
  constructor(
    size = availableParallelism(),
    module = new URL('./hashing-thread.ts', import.meta.url),
    most: number = ADMISSION.hashing.ofKind,
  ) {
    this.#waiting = new Turns(['known', 'stranger'], most);
    const options = { limit: TOGETHER, accepts: answers, failure: threadLost };
    this.#threads = Array.from({ length: size }, () => new Thread(module, options));
  }

  /** The pool of one of some worker processes, which share the cores and the places in the queue. */
  static ofWorker(processes: number): HashingPool {
    const { ofKind, leastOfKind } = ADMISSION.hashing;
    const most = Math.max(leastOfKind, partOf(ofKind, processes));
    return new HashingPool(partOf(availableParallelism(), processes), undefined, most);
  }

  /** A PHC string with a salt of its own. Fails with `busy` when the queue has no room for this source. */
  async hash(password: string, asker = OPERATOR): Promise<string> {
    return String(await this.#run({ kind: 'hash', password: inNfc(password) }, asker));
  }

  /**
   * Does the password belong to the hash? For a hash with other parameters than today's, one of today's is verified
   * too, whatever the password. So a cheap hash is never answered sooner than a name that nobody has. To such a hash
   * the password may also belong as it was sent, before it was made NFC. Fails with `busy` when the queue has no room
   * for this source.
   */
  async verify(hash: string, asSent: string, asker = OPERATOR): Promise<boolean> {
    const password = inNfc(asSent);
    const others = isOutdated(hash)
      ? { beside: NOBODYS_HASH, asSent: asSent === password ? undefined : asSent }
      : { beside: undefined, asSent: undefined };
    return (await this.#run({ kind: 'verify', hash, password, ...others }, asker)) === true;
  }

  get readings(): readonly Reading[] {
    return readingsOf({
      stoa_hashing_waiting: this.#waiting.length,
      stoa_hashing_busy_threads: this.#threads.filter(({ isBusy }) => isBusy).length,
      stoa_hashing_jobs_total: this.#begun,
      stoa_hashing_refused_total: this.#refused,
    });
  }

  /** Rejects the jobs that wait, and ends the threads at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#take(this.#waiting.length)) reject(closed());
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #run(job: HashingJob, { source, isKnown }: Asker): Promise<string | boolean> {
    if (this.#isClosed) return Promise.reject(closed());
    const waiting = { job, ...Promise.withResolvers<string | boolean>() };
    // The one that finds no room is this job, or one that waits behind many of its own source.
    const refused = this.#waiting.add(isKnown ? 'known' : 'stranger', source, waiting);
    if (isExpensive(job)) this.#expensive++;
    if (refused && isExpensive(refused.job)) this.#expensive--;
    if (refused) this.#refused++;
    refused?.reject(busy('Too many sign-ins are under way; try again in a moment.'));
    this.#assign();
    return timed('hashing', () => waiting.promise);
  }

  #assign(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#threads.find(({ isBusy }) => !isBusy);
      if (!thread || this.#isClosed) return;
      for (const { job, resolve, reject } of this.#take(this.#share())) {
        // The next jobs are assigned first, so that the thread does not wait for what becomes of this one.
        this.#begun++;
        const assign = () => this.#assign();
        thread.call(job).finally(assign).then(resolve, reject);
      }
      thread.send();
    }
  }

  /**
   * One job at a time, until every thread has another one waiting. An expensive job that waits keeps it at one, so that
   * no other job waits for its time.
   */
  #share(): number {
    if (this.#expensive > 0) return 1;
    const share = Math.floor(this.#waiting.length / this.#threads.length);
    return Math.max(1, Math.min(share, TOGETHER));
  }

  #take(count: number): Waiting[] {
    const taken = Array.from({ length: count }, () => this.#waiting.take() ?? []).flat();
    this.#expensive -= taken.filter(({ job }) => isExpensive(job)).length;
    return taken;
  }
}

/** A hash with other parameters than today's may take fifty times as long as most (docs/decisions/passwords.md). */
function isExpensive(job: HashingJob): boolean {
  return job.kind === 'verify' && job.beside !== undefined;
}

/** Nobody can know which of its jobs the lost thread had done. */
function threadLost(reason: Error): Failure {
  return new Failure(
    { error: 'unavailable', message: 'The password could not be processed; try again.', retryAfter: 1 },
    reason,
  );
}

function closed(): Error {
  return new Error('The hashing threads have ended with the service.');
}
