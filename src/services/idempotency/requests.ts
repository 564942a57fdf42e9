import { hash } from 'node:crypto';
import type { Store } from '../../store/store.ts';
import { findAnswer, inProgress, type OnceKey } from './once.ts';

/** What a client names a request by, and the SHA-256 of the request. */
interface Named {
  readonly userId: number;
  readonly key: string;
  readonly fingerprint: string;
}

interface Steps<Answer> {
  /** Makes the request. Its write calls `once` with the key. */
  readonly make: (key: OnceKey) => Promise<Answer>;
  /** Makes the answer again from what was kept. */
  readonly again: (kept: string) => Answer;
}

/** The requests with an Idempotency-Key. Those under way in this process are known without the database. */
export class OnceRequests {
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #underWay = new Set<string>();

  constructor(store: Store, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Makes a request, or answers as an earlier one with its key was answered. What the steps of `make` count, such as
   * limits, a repetition does not. Fails with `request_in_progress` or `idempotency_key_reused`, or as `make` does.
   */
  async run<Answer>({ userId, key, fingerprint }: Named, { make, again }: Steps<Answer>): Promise<Answer> {
    const keyHash = hash('sha256', JSON.stringify([userId, key]), 'base64url');
    const onceKey = { userId, keyHash, fingerprint };
    if (this.#underWay.has(keyHash)) throw inProgress();
    this.#underWay.add(keyHash);
    try {
      const kept = await this.#store.read(findAnswer, { key: onceKey, now: this.#clock() });
      return kept === undefined ? await make(onceKey) : again(kept);
    } finally {
      this.#underWay.delete(keyHash);
    }
  }
}
