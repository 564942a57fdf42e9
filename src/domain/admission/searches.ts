import { Failure, tooManyRequests } from '../failure.ts';
import { ADMISSION } from './figures.ts';
import { Turns } from './turns.ts';

/** On whose behalf a search runs. */
export interface Asker {
  /** The account, or the source of a request without one. */
  readonly name: string;
  readonly isSignedIn: boolean;
}

interface Waiting {
  readonly kind: 'member' | 'stranger';
  readonly name: string;
  begin(): void;
  refuse(reason: Failure): void;
}

/**
 * Runs a few searches at the same time; the others wait. Members and strangers take turns, and so do the askers of
 * each.
 */
export class Searches {
  readonly #atOnce: number;
  readonly #waiting = new Turns<Waiting['kind'], Waiting>(['member', 'stranger'], ADMISSION.searchesWaiting);
  readonly #underWay = new Set<Waiting>();
  #refused = 0;

  /** `atOnce`: how many searches the database can run at the same time, with room for short reads. */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * Runs the search when it is its turn. Fails with `too_many_requests` where this asker has too many waiting searches.
   * Fails with `busy` where all together have too many, or where the search has waited too long.
   */
  async run<Result>({ name, isSignedIn }: Asker, search: () => Promise<Result>): Promise<Result> {
    const kind = isSignedIn ? 'member' : 'stranger';
    if (this.#waiting.countOf(kind, name) >= ADMISSION.searchesOfAskerWaiting) {
      this.#refused++;
      throw tooManyRequests('Too many of your searches are waiting; wait for their answers.', 1);
    }
    const { promise: turn, resolve: begin, reject: refuse } = Promise.withResolvers<void>();
    const waiting: Waiting = { kind, name, begin, refuse };
    const tooMany = this.#waiting.add(kind, name, waiting);
    if (tooMany) this.#refuse(tooMany);
    this.#beginNext();
    const late = setTimeout(() => {
      this.#waiting.remove(kind, name, waiting);
      this.#refuse(waiting);
    }, ADMISSION.searchPatience);
    await turn.finally(() => clearTimeout(late));
    try {
      return await search();
    } finally {
      this.#underWay.delete(waiting);
      this.#beginNext();
    }
  }

  get figures(): { readonly waiting: number; readonly underWay: number; readonly refused: number } {
    return { waiting: this.#waiting.length, underWay: this.#underWay.size, refused: this.#refused };
  }

  #refuse(waiting: Waiting): void {
    this.#refused++;
    waiting.refuse(tooManyWait());
  }

  #beginNext(): void {
    while (this.#underWay.size < this.#atOnce) {
      const next = this.#waiting.take((kind, name) => this.#mayBegin(kind, name));
      if (!next) return;
      this.#underWay.add(next);
      next.begin();
    }
  }

  /** If several searches may run, one place is reserved for members. */
  #mayBegin(kind: Waiting['kind'], name: string): boolean {
    const underWay = [...this.#underWay];
    if (underWay.filter((each) => each.name === name).length >= ADMISSION.searchesOfAsker) return false;
    const strangers = underWay.filter((each) => each.kind === 'stranger').length;
    return kind === 'member' || strangers < Math.max(1, this.#atOnce - 1);
  }
}

function tooManyWait(): Failure {
  const message = 'Too many searches are waiting; try again in a moment.';
  return new Failure({ error: 'busy', message, retryAfter: 1 });
}
