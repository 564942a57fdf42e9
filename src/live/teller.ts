import type { Job } from '../domain/jobs.ts';
import { restFor } from '../domain/rest.ts';
import { type FeedChange, readChanges, readNewest } from '../services/changes/read.ts';
import type { Store } from '../store/store.ts';
import type { UsersList } from './audience.ts';
import { Batch } from './batch.ts';
import type { Check } from './check.ts';
import { resetFrame } from './frames.ts';
import { inTurns } from './in-turns.ts';
import type { Listeners } from './listeners.ts';
import { type Mark, START } from './mark.ts';
import { KEPT, Recent } from './recent.ts';
import { Wake } from './wake.ts';

/** Changes that nobody announces, such as those of a command, are found after this time. */
const POLL_MS = 500;
/** A round waits this long for more changes, because each costs a read and a system call for each listener. */
const GATHER_MS = 20;
/** The most changes of one round: some 40 KB for a listener. */
const ROUND = 200;

interface Parts {
  readonly store: Store;
  readonly listeners: Listeners;
  readonly check: Check;
  readonly usersList: UsersList;
}

/** Reads the feed once for all listeners of this process, while there are any, and tells each what it may know. */
export class Teller {
  readonly #parts: Parts;
  readonly #wake = new Wake();
  readonly #recent = new Recent();
  /** How far the feed was read; undefined while nobody listens. */
  #mark: Mark | undefined;
  #beginning: Promise<void> | undefined;
  /** How long the last round told. The next one waits as long, so that telling takes at most half of the time. */
  #toldMs = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { store } = parts;
    // On PostgreSQL a change can be read once it has its number, which is announced. On SQLite it can be at once.
    const wake = () => {
      if (!parts.listeners.isEmpty) this.#wake.ring();
    };
    store.onWrite(wake);
    store.onAnnouncement((announcement) => {
      if (announcement === 'anything' || announcement.topic === 'changes') wake();
    });
  }

  readonly job: Job = {
    name: 'telling listeners',
    every: 0,
    run: async (stopping) => {
      await this.#wake.wait(POLL_MS, stopping);
      if (this.#parts.listeners.isEmpty) this.#mark = undefined;
      if (!this.#mark || stopping.aborted) return;
      const gather = Math.max(GATHER_MS, this.#toldMs);
      await restFor(gather, stopping);
      while (!stopping.aborted && (await this.#tellNext()));
    },
  };

  /** How far the feed was read. Whoever calls this has taken a place among the listeners. */
  async begin(): Promise<Mark> {
    while (!this.#mark) {
      this.#beginning ??= this.#beginNow().finally(() => {
        this.#beginning = undefined;
      });
      await this.#beginning;
    }
    return this.#mark;
  }

  /** How far the feed was read, while somebody listens. */
  get mark(): Mark {
    return this.#mark ?? START;
  }

  get recent(): Pick<Recent, 'find' | 'after'> {
    return this.#recent;
  }

  async #beginNow(): Promise<void> {
    const newest = await this.#parts.store.read(readNewest, { limit: KEPT });
    this.#recent.begin(newest);
    this.#mark = markOf(newest) ?? START;
  }

  /** True where more may wait. A round that fails has told nobody. */
  async #tellNext(): Promise<boolean> {
    const { store, check } = this.#parts;
    const { number: after } = this.mark;
    const { changes, goOnAfter } = await store.read(readChanges, { after, limit: ROUND });
    if (goOnAfter !== undefined) return this.#resetAll();
    const mark = markOf(changes);
    if (!mark) return false;
    await check.beFresh();
    this.#recent.add(changes);
    this.#mark = mark;
    const began = performance.now();
    await this.#tellAll(changes, after, mark);
    this.#toldMs = performance.now() - began;
    return changes.length === ROUND;
  }

  async #tellAll(changes: readonly FeedChange[], after: number, mark: Mark): Promise<void> {
    const { listeners, usersList } = this.#parts;
    const batch = new Batch(changes, usersList);
    const live = listeners.all.filter(({ isLive }) => isLive);
    await inTurns(live, (listener) => {
      const { number } = listener.mark;
      if (number === after) listener.tell(batch, mark);
      // One that came back from another instance may know some of these already.
      else if (number < mark.number)
        listener.tell(
          new Batch(
            changes.filter((change) => change.number > number),
            usersList,
          ),
          mark,
        );
    });
  }

  /** The database is not the one that was read before, or the process stood still for days. */
  async #resetAll(): Promise<boolean> {
    await this.#beginNow();
    const { mark } = this;
    const frame = resetFrame(mark);
    const live = this.#parts.listeners.all.filter(({ isLive }) => isLive);
    await inTurns(live, (listener) => listener.moveTo(mark, frame));
    return true;
  }
}

function markOf(changes: readonly FeedChange[]): Mark | undefined {
  const last = changes.at(-1);
  return last && { number: last.number, at: last.at };
}
