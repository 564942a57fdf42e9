import { isStorageFull, storageFull } from '../domain/failure.ts';

/**
 * Knows whether the storage has room for writes: not from a write on that failed for lack of room, until a later look
 * finds some. A look comes when somebody asks, and at most once in the time given.
 */
export class Room {
  readonly #hasRoom: () => Promise<boolean>;
  readonly #pauseMs: number;
  #isFull = false;
  #nextLook = 0;

  /** `pauseMs` is also how long a failed write counts without a look. */
  constructor(hasRoom: () => Promise<boolean>, pauseMs: number) {
    this.#hasRoom = hasRoom;
    this.#pauseMs = pauseMs;
  }

  /** Called with whatever a write failed with. */
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
