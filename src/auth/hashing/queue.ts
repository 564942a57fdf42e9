import { Turns } from '../../domain/turns.ts';
import type { QueuedJob } from './worker.ts';

/** Jobs that may wait in each half of the queue: a second or so of work for two cores. */
const HALF_LIMIT = 256;

/** For whom a password is hashed. */
export interface Asker {
  /** Where the request comes from (`sourceOf`). */
  readonly source: string;
  /** Has it signed in to this account before, or proved just now that it may? */
  readonly isKnown: boolean;
}

/** Jobs that wait for a hashing thread. One half is for known devices, so that no flood of strangers fills it. */
export class HashingQueue {
  readonly #known = new Turns<QueuedJob>(HALF_LIMIT);
  readonly #strangers = new Turns<QueuedJob>(HALF_LIMIT);
  #next = this.#known;
  #dear = 0;

  /** Does a job wait that may take fifty times as long as most (decisions 0054)? */
  get hasDear(): boolean {
    return this.#dear > 0;
  }

  get length(): number {
    return this.#known.length + this.#strangers.length;
  }

  /** Returns the job that finds no room: this one, or one that waits behind many of its own source. */
  add(job: QueuedJob, { source, isKnown }: Asker): QueuedJob | undefined {
    const refused = (isKnown ? this.#known : this.#strangers).add(job, source);
    if (isDear(job)) this.#dear++;
    if (refused && isDear(refused)) this.#dear--;
    return refused;
  }

  /** Takes jobs out: by turns from each half, and in a half by turns from each source. */
  take(count: number): QueuedJob[] {
    const taken: QueuedJob[] = [];
    while (taken.length < count && this.length > 0) {
      const job = this.#next.take();
      if (job) taken.push(job);
      if (job && isDear(job)) this.#dear--;
      this.#next = this.#next === this.#known ? this.#strangers : this.#known;
    }
    return taken;
  }
}

/** Whatever has not today's parameters may be dear. */
function isDear({ job }: QueuedJob): boolean {
  return job.kind === 'verify' && job.beside !== undefined;
}
