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
  readonly #known = new Half();
  readonly #strangers = new Half();
  #next = this.#known;

  get length(): number {
    return this.#known.length + this.#strangers.length;
  }

  /** Returns the job that finds no room: this one, or one that waits behind many of its own source. */
  add(job: QueuedJob, { source, isKnown }: Asker): QueuedJob | undefined {
    return (isKnown ? this.#known : this.#strangers).add(job, source);
  }

  /** Takes jobs out: by turns from each half, and in a half by turns from each source. */
  take(count: number): QueuedJob[] {
    const taken: QueuedJob[] = [];
    while (taken.length < count && this.length > 0) {
      const job = this.#next.take();
      if (job) taken.push(job);
      this.#next = this.#next === this.#known ? this.#strangers : this.#known;
    }
    return taken;
  }
}

/** Jobs of many sources, each of which has a turn before any has another. */
class Half {
  /** The source whose turn is next stands first. */
  readonly #bySource = new Map<string, QueuedJob[]>();
  length = 0;

  /** In a full half, the source that has most gives up its last job to one that has fewer. */
  add(job: QueuedJob, source: string): QueuedJob | undefined {
    const own = this.#bySource.get(source) ?? [];
    const dropped = this.length < HALF_LIMIT ? undefined : this.#longest();
    if (dropped && own.length + 1 >= dropped.length) return job;
    own.push(job);
    this.#bySource.set(source, own);
    this.length += dropped ? 0 : 1;
    return dropped?.pop();
  }

  take(): QueuedJob | undefined {
    const [first] = this.#bySource;
    if (!first) return undefined;
    const [source, jobs] = first;
    const job = jobs.shift();
    this.length--;
    this.#bySource.delete(source);
    if (jobs.length > 0) this.#bySource.set(source, jobs);
    return job;
  }

  #longest(): QueuedJob[] | undefined {
    let longest: QueuedJob[] | undefined;
    for (const jobs of this.#bySource.values()) if (!longest || jobs.length > longest.length) longest = jobs;
    return longest;
  }
}
