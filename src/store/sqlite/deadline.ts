import type { DatabaseSync } from 'node:sqlite';
import { LONG_READ_MS, tookTooLong } from '../deadline.ts';

/** The time of the long read under way on one connection (`whileInTime`). */
export class Deadline {
  #until = Number.POSITIVE_INFINITY;

  constructor(database: DatabaseSync) {
    database.function('stoa_in_time', () => {
      if (performance.now() > this.#until) throw tookTooLong();
      return 1;
    });
  }

  /** A long read begins. */
  begin(): void {
    this.#until = performance.now() + LONG_READ_MS;
  }
}
