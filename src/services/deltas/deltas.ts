import { accountAsker, FairQueue } from '../../domain/admission/fair-queue.ts';
import { ADMISSION } from '../../domain/admission/figures.ts';
import { BoundedThread } from '../../domain/thread-with-bounds.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import { lruOf } from '../lru.ts';

/**
 * Of a processor. A changed mebibyte takes a tenth of it, one of another text four times as much: the library compares
 * each place of the text with 250 places of the base, a number that cannot be changed.
 */
const PATIENCE_MS = 500;
/** Mebibytes of memory. */
const MEMORY = { old: 64, young: 16 };
/** Accounts of which a delta took too long. For a while no other is made for them. */
const REFUSED = 1_000;
const REFUSED_MS = MINUTE_MS;

export interface Texts {
  readonly base: string;
  readonly text: string;
}

/** Makes deltas of long texts, one at a time. Accounts take turns. */
export class Deltas {
  readonly #turns = new FairQueue(1, ADMISSION.deltas);
  readonly #thread: BoundedThread<Texts, string | null>;
  /** Until when, by `performance.now()`. */
  readonly #refused = lruOf<number>(REFUSED);

  constructor({ patience = PATIENCE_MS }: { readonly patience?: number } = {}) {
    this.#thread = new BoundedThread(new URL('./delta-thread.ts', import.meta.url), {
      patience,
      memory: MEMORY,
      accepts: (delta) => delta === null || typeof delta === 'string',
    });
  }

  /**
   * The delta of the texts that `read` returns when it is the account's turn, and these texts. Undefined where the text
   * is to be kept whole: where `read` finds none, the delta saves too little or takes too long, or one that the account
   * asked for within the last minute took too long. Fails as `FairQueue` and `read`.
   */
  async inTurn<Read extends Texts>(
    userId: number,
    read: () => Promise<Read | undefined>,
  ): Promise<(Read & { readonly delta: string }) | undefined> {
    const account = String(userId);
    const make = async () => {
      if (performance.now() < (this.#refused.get(account) ?? 0)) return undefined;
      const texts = await read();
      if (!texts) return undefined;
      const delta = await this.#thread.call({ base: texts.base, text: texts.text });
      if (delta === undefined) this.#refused.set(account, performance.now() + REFUSED_MS);
      return typeof delta === 'string' ? { ...texts, delta } : undefined;
    };
    return this.#turns.run(accountAsker({ userId }), make);
  }
}
