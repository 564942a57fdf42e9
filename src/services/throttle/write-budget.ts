import { Budget } from './budget.ts';

const KIB = 1024;

/**
 * What an account may write within an hour. It is counted before the write and outside of it (decisions 0048), so that
 * a write costs the database nothing more.
 */
export class WriteBudget {
  readonly #writes: Budget;
  readonly #kibibytes: Budget;

  /** 0 is no bound. */
  constructor({ writes, mebibytes }: { readonly writes: number; readonly mebibytes: number }) {
    this.#writes = new Budget(writes, 'Your account wrote too often within an hour; try again later.');
    this.#kibibytes = new Budget(
      mebibytes * KIB,
      'Your account wrote too much text within an hour; try again later.',
    );
  }

  /** Counts one write with these texts, a kibibyte at least. Fails with `too_many_requests`. */
  spend(userId: number, now: number, ...texts: readonly string[]): void {
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const name = String(userId);
    this.#writes.spend(name, now);
    this.#kibibytes.spend(name, now, Math.max(1, Math.ceil(bytes / KIB)));
  }
}
