import { isUnavailable } from './failure.ts';
import type { Reading } from './metrics.ts';
import type { Notice } from './notice.ts';

/** Work in the background. It runs repeatedly, never twice at the same time in one process. */
export interface Job {
  readonly name: string;
  /** Milliseconds from the end of a run to the beginning of the next. */
  readonly every: number;
  /** True for work that writes cause. The job then also runs soon after each write. */
  readonly afterWrites?: boolean;
  /**
   * Does a bounded part of the work. Resolves with true when more work waits. The next run then starts after a pause as
   * long as this run, so that a backlog takes at most half of the time. With `afterWrites` a write ends the pause, so
   * that what follows many writes keeps up with them. A run that waits for long stops waiting when the signal is
   * aborted.
   */
  readonly run: (stopping: AbortSignal) => Promise<unknown>;
  /** Waits for what runs have left under way. Called once, after the last run. */
  readonly close?: () => Promise<unknown>;
}

/** `lastSuccess` is in milliseconds since 1970, `every` that of the job. */
export interface JobState {
  readonly name: string;
  readonly every: number;
  readonly runs: number;
  readonly failures: number;
  readonly lastSuccess: number | undefined;
  /** True where the last run failed. */
  readonly isFailing: boolean;
}

/**
 * Milliseconds between the first runs of two jobs: all at once would open every connection of the store at each start.
 */
const APART_MS = 10;

/**
 * Runs jobs until it is closed. The first job runs at once, each other one a moment after the one before. Failures are
 * counted. The operator gets a notice of the first of several failures in a row, and of the success that ends them. A
 * job that fails with `unavailable` causes no notice: the job that watches the database reports it once for all
 * (watch-storage.ts). Only listening on PostgreSQL fails with an error of its own, and has its own notice.
 */
export class JobRunner {
  readonly #notice: Notice;
  readonly #running: RunningJob[] = [];

  constructor(notice: Notice) {
    this.#notice = notice;
  }

  start(job: Job): void {
    this.#running.push(new RunningJob(job, this.#notice, this.#running.length * APART_MS));
  }

  /** Called after a write: jobs with `afterWrites` run soon. */
  wake(): void {
    for (const each of this.#running) each.wake();
  }

  get states(): readonly JobState[] {
    return this.#running.map(({ state }) => state);
  }

  get readings(): readonly Reading[] {
    return this.states.flatMap(({ name: task, every, runs, failures, lastSuccess = 0 }) => [
      { name: 'stoa_task_runs_total', value: runs, labels: { task } },
      { name: 'stoa_task_failures_total', value: failures, labels: { task } },
      {
        name: 'stoa_task_last_success_timestamp_seconds',
        value: lastSuccess / 1_000,
        labels: { task },
      },
      { name: 'stoa_task_interval_seconds', value: every / 1_000, labels: { task } },
    ]);
  }

  /** Starts no more runs, and waits for those under way. */
  async close(): Promise<void> {
    await Promise.all(this.#running.map((each) => each.close()));
  }
}

class RunningJob {
  readonly #job: Job;
  readonly #notice: Notice;
  readonly #stopping = new AbortController();
  #runs = 0;
  #failures = 0;
  #lastSuccess: number | undefined;
  #isReported = false;
  #isFailing = false;
  #isWoken = false;
  #timer: NodeJS.Timeout | undefined;
  #current: Promise<void> | undefined;

  constructor(job: Job, notice: Notice, pause: number) {
    this.#job = job;
    this.#notice = notice;
    this.#schedule(pause);
  }

  get state(): JobState {
    const { name, every } = this.#job;
    const [runs, failures, lastSuccess] = [this.#runs, this.#failures, this.#lastSuccess];
    return { name, every, runs, failures, lastSuccess, isFailing: this.#isFailing };
  }

  wake(): void {
    // A job whose failure was reported keeps to its schedule. Otherwise each write would repeat the failure.
    if (!this.#job.afterWrites || this.#isReported) return;
    if (this.#current) this.#isWoken = true;
    else this.#schedule(0);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#current;
    await this.#job.close?.();
  }

  #schedule(pause: number): void {
    clearTimeout(this.#timer);
    if (this.#stopping.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#current = this.#run();
    }, pause).unref();
  }

  async #run(): Promise<void> {
    this.#isWoken = false;
    const start = performance.now();
    const isMoreWaiting = await this.#attempt();
    const took = performance.now() - start;
    this.#current = undefined;
    this.#schedule(isMoreWaiting || (this.#isWoken && !this.#isReported) ? took : this.#job.every);
  }

  async #attempt(): Promise<boolean> {
    this.#runs++;
    try {
      const isMoreWaiting = (await this.#job.run(this.#stopping.signal)) === true;
      this.#lastSuccess = Date.now();
      this.#isFailing = false;
      if (this.#isReported) this.#notice(`${this.#job.name} works again`);
      this.#isReported = false;
      return isMoreWaiting;
    } catch (error) {
      this.#failures++;
      this.#isFailing = true;
      if (!this.#isReported && !isUnavailable(error)) {
        this.#isReported = true;
        this.#notice(`${this.#job.name} failed; trying again`, error);
      }
      return false;
    }
  }
}
