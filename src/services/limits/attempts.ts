import { ADMISSION } from '../../domain/admission/figures.ts';
import { busy, tooManyRequests } from '../../domain/failure.ts';
import { SHARED_LIMITS } from '../../domain/limits.ts';
import { partOf } from '../../domain/workers.ts';
import type { Allowance } from './wrong-passwords.ts';

const { atOnce, alikeWaiting, waiting } = ADMISSION.attempts;

interface Seen {
  readonly allowance: Allowance;
}

/**
 * Checks no more passwords at once than wrong ones are left, because which ones are wrong is known only later. An
 * attempt under way counts as a wrong one. An attempt that finds too many under way waits for its turn and reads the
 * counts again. By then a right password has returned its place, and a wrong one was counted.
 */
export class Attempts {
  readonly #lines = new Map<string, Line>();
  readonly #atOnce: number;
  #waiting = 0;

  /** `processes`: how many workers the instance has. Each may allow one attempt at least. */
  constructor(processes = 1) {
    this.#atOnce = partOf(atOnce, processes);
  }

  /**
   * Runs `check` when the counts that `look` reads allow it. A mistake has to be counted before `check` ends. Fails
   * with `too_many_requests` when none is left, and with `busy` when too many wait.
   */
  async run<What extends Seen, Result>(
    look: () => Promise<What>,
    check: (seen: What) => Promise<Result>,
  ): Promise<Result> {
    const first = requireFree(await look());
    const name = first.allowance.line;
    const line = this.#lines.get(name) ?? new Line(this.#atOnce);
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

  get waiting(): number {
    return this.#waiting;
  }

  async #waitInTurn<What extends Seen>(line: Line, look: () => Promise<What>): Promise<What> {
    if (line.waiting >= alikeWaiting || this.#waiting >= waiting)
      throw busy('Too many sign-ins to this account are under way; try again in a moment.');
    this.#waiting++;
    try {
      return await line.inTurn(() => line.whenThereIsPlace(look));
    } finally {
      this.#waiting--;
    }
  }
}

/** Attempts that count for the same limits. */
class Line {
  readonly #atOnce: number;
  waiting = 0;
  #underWay = 0;
  /** Settles when the last waiting attempt has had its turn. */
  #last: Promise<unknown> = Promise.resolve();
  #onLeave = () => {};

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  get isEmpty(): boolean {
    return this.waiting === 0 && this.#underWay === 0;
  }

  /** Takes a place at once, unless other attempts wait for one. */
  takePlace({ allowance }: Seen): boolean {
    if (this.waiting > 0 || this.#underWay >= this.#placesFor(allowance)) return false;
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

  /** Takes a place. Only the first waiting attempt calls this. */
  async whenThereIsPlace<What extends Seen>(look: () => Promise<What>): Promise<What> {
    for (;;) {
      // An attempt that ends during the read may have been a wrong one that the read did not see. So it counts as under
      // way.
      const underWay = this.#underWay;
      const seen = requireFree(await look());
      if (underWay < this.#placesFor(seen.allowance)) {
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

  #placesFor({ left }: Allowance): number {
    return Math.min(this.#atOnce, left);
  }

  #nextToLeave(): Promise<void> {
    return new Promise((resolve) => {
      this.#onLeave = resolve;
    });
  }
}

function requireFree<What extends Seen>(seen: What): What {
  const { left, retryAfter, limit } = seen.allowance;
  if (left >= 1) return seen;
  throw tooManyRequests(SHARED_LIMITS[limit].refusal, retryAfter, limit);
}
