import { Failure, tooManyRequests } from '../../domain/failure.ts';
import { Turns } from '../../domain/turns.ts';

/** Searches of one asker that run and that wait. */
const ASKER_AT_ONCE = 2;
const ASKER_WAITING = 128;
/** Searches of one class of askers that wait. */
const CLASS_WAITING = 256;
/** A search that has waited this long is given up. */
const PATIENCE_MS = 5_000;

/** For whom a search is done. */
export interface Asker {
  /** The account, or the source of a request without one. */
  readonly name: string;
  readonly isSignedIn: boolean;
}

interface Waiting {
  readonly asker: Asker;
  begin(): void;
  refuse(reason: Failure): void;
}

/**
 * Lets a few searches run at once, and the others wait in turn (decisions 0047). Who is signed in and who is not
 * wait in two lines, which have turns; in a line its askers have turns.
 */
export class Searches {
  readonly #atOnce: number;
  readonly #members = new Turns<Waiting>(CLASS_WAITING);
  readonly #strangers = new Turns<Waiting>(CLASS_WAITING);
  /** Its turn comes next where both wait. */
  #next = this.#members;
  readonly #underWay: Waiting[] = [];

  /** `atOnce`: how many the database does beside all that is short. */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * Runs the search in its turn. Fails with `too_many_requests` where many of this asker wait, and with `busy`
   * where many of all do, or where it has waited too long.
   */
  async run<Result>(asker: Asker, search: () => Promise<Result>): Promise<Result> {
    const turn = await this.#turnOf(asker);
    try {
      return await search();
    } finally {
      this.#underWay.splice(this.#underWay.indexOf(turn), 1);
      this.#assign();
    }
  }

  async #turnOf(asker: Asker): Promise<Waiting> {
    const line = asker.isSignedIn ? this.#members : this.#strangers;
    if (line.countOf(asker.name) >= ASKER_WAITING) {
      throw tooManyRequests('Too many of your searches are waiting; wait for their answers.', 1);
    }
    const { promise, resolve: begin, reject: refuse } = Promise.withResolvers<void>();
    const waiting = { asker, begin, refuse };
    line.add(waiting, asker.name)?.refuse(tooManyWait());
    this.#assign();
    const late = setTimeout(() => {
      line.remove(waiting, asker.name);
      refuse(tooManyWait());
    }, PATIENCE_MS);
    await promise.finally(() => clearTimeout(late));
    return waiting;
  }

  #assign(): void {
    while (this.#underWay.length < this.#atOnce) {
      const waiting = this.#takeNext();
      if (!waiting) return;
      this.#underWay.push(waiting);
      waiting.begin();
    }
  }

  #takeNext(): Waiting | undefined {
    const mayGo = (name: string) => this.#countUnderWay(({ asker }) => asker.name === name) < ASKER_AT_ONCE;
    for (const line of [this.#next, this.#other(this.#next)]) {
      if (line === this.#strangers && !this.#hasPlaceForStrangers()) continue;
      const waiting = line.take(mayGo);
      if (!waiting) continue;
      this.#next = this.#other(line);
      return waiting;
    }
    return undefined;
  }

  /** Where there is more than one place, one is kept for who is signed in. */
  #hasPlaceForStrangers(): boolean {
    return this.#countUnderWay(({ asker }) => !asker.isSignedIn) < Math.max(1, this.#atOnce - 1);
  }

  #other(line: Turns<Waiting>): Turns<Waiting> {
    return line === this.#members ? this.#strangers : this.#members;
  }

  #countUnderWay(which: (waiting: Waiting) => boolean): number {
    return this.#underWay.filter(which).length;
  }
}

function tooManyWait(): Failure {
  return new Failure({
    error: 'busy',
    message: 'Too many searches are waiting; try again in a moment.',
    retryAfter: 1,
  });
}
