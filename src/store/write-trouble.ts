import { isStorageFull, storageFull } from '../domain/failure.ts';

/**
 * Knows whether the storage has room for writes. After a write that failed for lack of room, the answer is no until a
 * check finds some. Checks run on demand, and at most once in the time given.
 */
export class DiskSpace {
  readonly #hasRoom: () => Promise<boolean>;
  readonly #pauseMs: number;
  #isFull = false;
  #nextLook = 0;

  /** `pauseMs` is also how long a failed write counts without a check. */
  constructor(hasRoom: () => Promise<boolean>, pauseMs: number) {
    this.#hasRoom = hasRoom;
    this.#pauseMs = pauseMs;
  }

  /** Called with the error of any failed write. */
  note(error: unknown): void {
    if (!isStorageFull(error)) return;
    this.#isFull = true;
    this.#nextLook = performance.now() + this.#pauseMs;
  }

  /** Fails with `unavailable` while there is no room. */
  async require(): Promise<void> {
    if (!this.#isFull) return;
    if (performance.now() >= this.#nextLook) {
      this.#nextLook = performance.now() + this.#pauseMs;
      this.#isFull = !(await this.#hasRoom());
    }
    if (this.#isFull) throw storageFull(new Error('A write failed for lack of room, and there is none yet.'));
  }
}
