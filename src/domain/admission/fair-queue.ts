import { busy, type Failure, tooManyRequests } from '../failure.ts';
import type { Origin } from '../origin.ts';
import { Shares } from './shares.ts';
import { Turns } from './turns.ts';

/** On whose behalf a work runs. */
export interface Asker {
  /** The account, or the source of a request without one. */
  readonly name: string;
  readonly isSignedIn: boolean;
  /** The session that asks. The sessions of an account take turns: a thief's does not keep the owner's waiting. */
  readonly session?: string | undefined;
  /** The source of the request of an account. Its accounts share turns and places with each other. */
  readonly source?: string;
  /** Waits as long as it takes. For works that may not be left out, of which each request has one at most. */
  readonly isPatient?: boolean;
}

/** The account as an asker. */
export function accountAsker({ userId, sessionId: session }: OfAccount): Asker {
  return { name: `account ${userId}`, isSignedIn: true, session };
}

interface OfAccount {
  readonly userId: number;
  readonly sessionId?: string | undefined;
}

/** The account as the asker of its sign-ins: what a thief of a token writes does not keep the owner from signing in. */
export function signInAsker({ userId }: { readonly userId: number }): Asker {
  return { name: `sign-ins of account ${userId}`, isSignedIn: true };
}

/** Somebody without an account, or whose account is not proved yet. A command has no origin, and waits for nobody. */
export function strangerAsker({ origin }: { readonly origin: Origin | null }): Asker | undefined {
  return origin ? { name: origin.source, isSignedIn: false } : undefined;
}

/** What a queue allows (`ADMISSION`). */
export interface QueueFigures {
  /** What its works are called in the answer to a client, in the plural. */
  readonly noun: string;
  /** Works of one asker that run at the same time, and that may wait. */
  readonly ofAsker: number;
  readonly ofAskerWaiting: number;
  /** Works that may wait, of members and of strangers each. */
  readonly waiting: number;
  /** Milliseconds after which a waiting work is given up, unless its asker is patient. */
  readonly patience: number;
}

interface Waiting {
  readonly kind: 'member' | 'stranger';
  readonly name: string;
  begin(): void;
  refuse(reason: Failure): void;
}

/**
 * Runs a few works at the same time; the others wait. Members and strangers take turns, and so do the askers of each, and
 * the sources of members.
 */
export class FairQueue {
  readonly #atOnce: number;
  readonly #figures: QueueFigures;
  readonly #waiting: Turns<Waiting['kind'], Waiting>;
  /** Places of members that wait, by source: one has half of them at most. */
  readonly #places: Shares;
  readonly #underWay = new Set<Waiting>();
  #refused = 0;

  constructor(atOnce: number, figures: QueueFigures) {
    this.#atOnce = atOnce;
    this.#figures = figures;
    this.#waiting = new Turns(['member', 'stranger'], figures.waiting);
    this.#places = new Shares(figures.waiting);
  }

  /**
   * Runs the work when it is its turn. Fails with `too_many_requests` where this asker or its source has too many that
   * wait, with `busy` where all together have too many, or where the work has waited too long, and as `leaving` when
   * that is aborted before.
   */
  async run<Result>(
    { name, isSignedIn, session, source, isPatient = false }: Asker,
    work: () => Promise<Result>,
    leaving?: AbortSignal,
  ): Promise<Result> {
    const { noun, ofAskerWaiting, patience } = this.#figures;
    const kind = isSignedIn ? 'member' : 'stranger';
    const sender = session ?? name;
    const hasTooMany = this.#waiting.countOf(kind, sender) >= ofAskerWaiting;
    if (hasTooMany || (source !== undefined && !this.#places.take(source))) {
      this.#refused++;
      throw tooManyRequests(`Too many of your ${noun} are waiting; wait for their answers.`, 1);
    }
    const { promise: turn, resolve: begin, reject: refuse } = Promise.withResolvers<void>();
    const waiting: Waiting = { kind, name, begin, refuse };
    // The sessions of an account have one turn of all.
    const tooMany = this.#waiting.add(kind, sender, waiting, source ?? (session && name));
    if (tooMany) this.#refuse(tooMany);
    this.#beginNext();
    const giveUp = () => {
      this.#waiting.remove(kind, sender, waiting);
      this.#refuse(waiting);
    };
    const late = isPatient ? undefined : setTimeout(giveUp, patience);
    const leave = () => {
      this.#waiting.remove(kind, sender, waiting);
      refuse(leaving?.reason);
    };
    leaving?.addEventListener('abort', leave);
    await turn.finally(() => {
      clearTimeout(late);
      if (source !== undefined) this.#places.give(source);
      leaving?.removeEventListener('abort', leave);
    });
    try {
      return await work();
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
    waiting.refuse(busy(`Too many ${this.#figures.noun} are waiting; try again in a moment.`));
  }

  #beginNext(): void {
    while (this.#underWay.size < this.#atOnce) {
      const next = this.#waiting.take((waiting) => this.#mayBegin(waiting));
      if (!next) return;
      this.#underWay.add(next);
      next.begin();
    }
  }

  /** If several may run, one place is reserved for members. */
  #mayBegin({ kind, name }: Waiting): boolean {
    const underWay = [...this.#underWay];
    if (underWay.filter((each) => each.name === name).length >= this.#figures.ofAsker) return false;
    const strangers = underWay.filter((each) => each.kind === 'stranger').length;
    return kind === 'member' || strangers < Math.max(1, this.#atOnce - 1);
  }
}
