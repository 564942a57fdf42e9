import { accountAsker, FairQueue } from '../../domain/admission/fair-queue.ts';
import { ADMISSION } from '../../domain/admission/figures.ts';
import { type Reading, readingsBy } from '../../domain/metrics.ts';
import { BoundedThread } from '../../domain/thread-with-bounds.ts';
import { TooDear } from '../too-dear.ts';

/**
 * Of a processor. A changed mebibyte takes a tenth of it, one of another text four times as much: the library compares
 * each place of the text with 250 places of the base, a number that cannot be changed.
 */
const PATIENCE_MS = 500;
/** Mebibytes of memory. */
const MEMORY = { old: 64, young: 16 };

export interface Texts {
  readonly base: string;
  readonly text: string;
}

/** Makes deltas of long texts, one at a time. Accounts take turns. */
export class Deltas {
  readonly #turns = new FairQueue(1, ADMISSION.deltas);
  readonly #thread: BoundedThread<Texts, string | null>;
  /** Accounts. */
  readonly #dear = new TooDear();

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
   * asked for within the last minute took too much of a processor or memory. Fails as `FairQueue` and `read`.
   */
  async inTurn<Read extends Texts>(
    userId: number,
    read: () => Promise<Read | undefined>,
  ): Promise<(Read & { readonly delta: string }) | undefined> {
    const account = String(userId);
    const make = async () => {
      if (this.#dear.has(account)) return undefined;
      const texts = await read();
      if (!texts) return undefined;
      const made = await this.#thread.call({ base: texts.base, text: texts.text });
      if ('output' in made) return made.output === null ? undefined : { ...texts, delta: made.output };
      if (made.met === 'cost') this.#dear.add(account);
      return undefined;
    };
    return this.#turns.run(accountAsker({ userId }), make);
  }

  get readings(): readonly Reading[] {
    const { waiting, refused } = this.#turns.figures;
    return [
      ...readingsBy('stoa_admission_waiting', 'kind', { delta: waiting }),
      ...readingsBy('stoa_admission_refused_total', 'reason', { deltas: refused }),
    ];
  }
}
