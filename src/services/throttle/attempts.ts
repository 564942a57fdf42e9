import { Failure, tooManyRequests } from '../../domain/failure.ts';
import type { Standing } from './standing.ts';

/**
 * Attempts of one line that are under way at once in this instance. So many may be checked beyond what is free
 * on each further instance, because instances see one another's mistakes only when they are made.
 */
const AT_ONCE = 4;
/** Attempts that wait for their turn, in one line and in all. */
const LINE_LIMIT = 256;
const WAITING_LIMIT = 2_048;

interface Seen {
  readonly standing: Standing;
}

/**
 * Lets no more passwords be checked than there are mistakes free, before it is known which of them are wrong.
 * What is under way counts as a mistake. Whoever finds too much under way waits in turn and looks again: a
 * right password then gives its place back, and a wrong one has been counted.
 */
export class Attempts {
  readonly #lines = new Map<string, Line>();
  #waiting = 0;

  /**
   * Runs `check` once what `look` sees allows it. A mistake has to be counted before `check` ends. Fails with
   * `too_many_requests` when no mistake is free, and with `busy` when too many wait.
   */
  async run<What extends Seen, Result>(
    look: () => Promise<What>,
    check: (seen: What) => Promise<Result>,
  ): Promise<Result> {
    const first = requireFree(await look());
    const name = first.standing.line;
    const line = this.#lines.get(name) ?? new Line();
    this.#lines.set(name, line);
    try {
      const seen = line.takePlace(first) ? first : await this.#waitInTurn(line, look);
      try {
        return await check(seen);
      } finally {
        line.leave();
      }
    } finally {
      if (line.isEmpty && this.#lines.get(name) === line) this.#lines.delete(name);
    }
  }

  async #waitInTurn<What extends Seen>(line: Line, look: () => Promise<What>): Promise<What> {
    if (line.waiting >= LINE_LIMIT || this.#waiting >= WAITING_LIMIT) throw tooManyWait();
    this.#waiting++;
    try {
      return await line.inTurn(() => line.whenThereIsPlace(look));
    } finally {
      this.#waiting--;
    }
  }
}

/** Attempts that can use up one another's mistakes. */
class Line {
  waiting = 0;
  #underWay = 0;
  /** Settles when the last that waits has had its turn. */
  #last: Promise<unknown> = Promise.resolve();
  #onLeave = () => {};

  get isEmpty(): boolean {
    return this.waiting === 0 && this.#underWay === 0;
  }

  /** Takes a place at once, unless others wait for one. */
  takePlace({ standing }: Seen): boolean {
    if (this.waiting > 0 || this.#underWay >= placesFor(standing)) return false;
    this.#underWay++;
    return true;
  }

  /** Runs the work when all that waited before have had their turn. */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.waiting++;
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      this.waiting--;
    }
  }

  /** Takes a place, for the first of those that wait alone. */
  async whenThereIsPlace<What extends Seen>(look: () => Promise<What>): Promise<What> {
    for (;;) {
      // Whoever leaves during the look may have made a mistake that it did not see, and counts as under way.
      const underWay = this.#underWay;
      const seen = requireFree(await look());
      if (underWay < placesFor(seen.standing)) {
        this.#underWay++;
        return seen;
      }
      if (underWay === this.#underWay) await this.#nextToLeave();
    }
  }

  leave(): void {
    this.#underWay--;
    this.#onLeave();
  }

  #nextToLeave(): Promise<void> {
    return new Promise((resolve) => {
      this.#onLeave = resolve;
    });
  }
}

function placesFor({ free }: Standing): number {
  return Math.min(AT_ONCE, free);
}

function requireFree<What extends Seen>(seen: What): What {
  if (seen.standing.free >= 1) return seen;
  throw tooManyRequests('Too many wrong passwords were sent; try again later.', seen.standing.retryAfter);
}

function tooManyWait(): Failure {
  return new Failure({
    error: 'busy',
    message: 'Too many sign-ins to this account are under way; try again in a moment.',
    retryAfter: 1,
  });
}
