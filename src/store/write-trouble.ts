import { isStorageFull, isStorageReadOnly } from '../domain/failure.ts';

/**
 * Knows whether the storage takes writes. After a write that failed because the storage is full, or takes no writes at all, the
 * answer is no until a check finds that it does. Checks run on demand, and at most once in the time given. Other failures,
 * such as a write that waited too long for one row, say nothing about the next write.
 */
export class WriteTrouble {
  readonly #takesWrites: () => Promise<boolean>;
  readonly #pauseMs: number;
  /** With what a write failed, and the next one will. */
  #error: unknown;
  #nextLook = 0;

  /** `pauseMs` is also how long a failed write counts without a check. */
  constructor(takesWrites: () => Promise<boolean>, pauseMs: number) {
    this.#takesWrites = takesWrites;
    this.#pauseMs = pauseMs;
  }

  /** Called with the error of any failed write. */
  note(error: unknown): void {
    if (!isStorageFull(error) && !isStorageReadOnly(error)) return;
    this.#error = error;
    this.#nextLook = performance.now() + this.#pauseMs;
  }

  /** Fails as the write did, while the storage takes none. */
  async require(): Promise<void> {
    if (this.#error === undefined) return;
    if (performance.now() >= this.#nextLook) {
      this.#nextLook = performance.now() + this.#pauseMs;
      if (await this.#takesWrites()) this.#error = undefined;
    }
    if (this.#error !== undefined) throw this.#error;
  }
}
