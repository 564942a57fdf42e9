import type { Caller } from '../domain/account.ts';
import type { Job } from '../domain/jobs.ts';
import { findCallers } from '../sessions/session.ts';
import type { Announcement } from '../store/announcements.ts';
import type { Store } from '../store/store.ts';
import type { Listener } from './listener.ts';
import type { Listeners } from './listeners.ts';
import { type AcceptedKeys, idsOf } from './signing-keys.ts';
import { Wake } from './wake.ts';

/** All listeners are checked this often, because not every change is announced (`Store.onAnnouncement`). */
const CHECK_MS = 500;
/** Nothing is told when the last check is older. */
const FRESH_MS = 900;
/** Sessions of one read, which takes a millisecond or two. */
const BATCH = 200;

interface Parts {
  readonly store: Store;
  readonly keyring: AcceptedKeys;
  readonly listeners: Listeners;
  /** True for a caller who has to do something else first, such as to set up a second factor. */
  readonly isHindered: (caller: Caller) => boolean;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Ends each stream within a second of its session, and learns the roles of the others. */
export class Check {
  readonly #parts: Parts;
  readonly #wake = new Wake();
  readonly #sessions = new Set<string>();
  readonly #accounts = new Set<number>();
  /** When the last check of all began, by `performance.now()`. */
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.store.onAnnouncement((announcement) => this.#note(announcement));
  }

  readonly job: Job = {
    name: 'checking listeners',
    every: 0,
    run: async (stopping) => {
      await this.#wake.wait(CHECK_MS, stopping);
      if (stopping.aborted) return;
      if (performance.now() - this.#checkedAt >= CHECK_MS) await this.#checkAll();
      else await this.#checkNamed();
    },
  };

  /** Returns when all listeners have been checked a moment ago. Fails as the store. */
  async beFresh(): Promise<void> {
    if (performance.now() - this.#checkedAt >= FRESH_MS) await this.#checkAll();
  }

  /** What the announcement names is checked at once. Anything else waits for the next check of all. */
  #note(announcement: Announcement): void {
    if (this.#parts.listeners.isEmpty || announcement === 'anything') return;
    if (announcement.topic === 'session') this.#sessions.add(announcement.key);
    else if (announcement.topic === 'account') this.#accounts.add(announcement.key);
    else return;
    this.#wake.ring();
  }

  async #checkAll(): Promise<void> {
    const began = performance.now();
    this.#forget();
    const keys = idsOf(this.#parts.keyring);
    for (const listener of this.#parts.listeners.all) if (listener.hasLostKey(keys)) listener.end();
    await this.#check(this.#parts.listeners.all);
    this.#checkedAt = began;
  }

  async #checkNamed(): Promise<void> {
    const named = this.#parts.listeners.all.filter(
      ({ caller: { sessionId, userId } }) => this.#sessions.has(sessionId) || this.#accounts.has(userId),
    );
    this.#forget();
    // What this does not check, because it fails, is among all.
    await this.#check(named);
  }

  #forget(): void {
    this.#sessions.clear();
    this.#accounts.clear();
  }

  async #check(listeners: readonly Listener[]): Promise<void> {
    const bySession = Map.groupBy(listeners, ({ caller }) => caller.sessionId);
    const ids = [...bySession.keys()];
    const { store, isHindered, clock } = this.#parts;
    for (let from = 0; from < ids.length; from += BATCH) {
      const sessionIds = ids.slice(from, from + BATCH);
      const found = await store.read(findCallers, { sessionIds, now: clock() });
      const callers = new Map(found.map((caller) => [caller.sessionId, caller]));
      for (const sessionId of sessionIds) {
        const caller = callers.get(sessionId);
        for (const listener of bySession.get(sessionId) ?? [])
          if (caller && !isHindered(caller)) listener.caller = caller;
          else listener.end();
      }
    }
  }
}
