import { busy } from '../domain/failure.ts';
import { BoundedThread } from '../domain/thread-with-bounds.ts';
import { TooDear } from '../services/too-dear.ts';
import type { Store } from '../store/store.ts';
import type { Difference, Texts } from './difference.ts';
import { type FoundVersion, wholeVersion } from './find.ts';

/** Of a processor. A comparison ends about a second after it began (`differenceOf`); this is for one that does not. */
const PATIENCE_MS = 3_000;
/** Mebibytes of memory. Two texts of a mebibyte with a line for each character would need hundreds. */
const MEMORY = { old: 96, young: 16 };

/** Compares texts, one pair at a time. */
export class Comparer {
  readonly #thread = new BoundedThread<Texts, Difference>(
    new URL('./difference-thread.ts', import.meta.url),
    {
      patience: PATIENCE_MS,
      memory: MEMORY,
      accepts: (difference) =>
        typeof difference === 'object' && difference !== null && 'places' in difference,
    },
  );
  /** Accounts. Each such comparison of theirs would end the thread, and others would wait for the next one. */
  readonly #dear = new TooDear();

  /**
   * The difference, or a coarse one where the fine one takes too long or too much memory, or where one that the account
   * asked for within the last minute took too much of a processor or memory. Fails with `busy`.
   */
  async compare(userId: number, texts: Texts): Promise<Difference> {
    const account = String(userId);
    if (!this.#dear.has(account)) {
      const fine = await this.#thread.call(texts);
      if ('output' in fine) return fine.output;
      if (fine.met === 'cost') this.#dear.add(account);
    }
    const coarse = await this.#thread.call({ ...texts, isCoarse: true });
    if ('output' in coarse) return coarse.output;
    throw busy('These versions cannot be compared now; try again in a moment.');
  }
}

interface Comparison {
  readonly id: number;
  readonly userId: number;
  /** 0 stands for the time before there was an item. */
  readonly from: number;
  readonly to: number;
}

export interface ComparedVersions {
  readonly earlier: FoundVersion | undefined;
  readonly later: FoundVersion;
  readonly content: Difference;
}

/** Compares two versions of an item. Fails with `not_found`, `forbidden` or `busy`. */
export async function compareVersions(
  store: Store,
  comparer: Comparer,
  { id, userId, from, to }: Comparison,
): Promise<ComparedVersions> {
  const later = await wholeVersion(store, { id, userId, version: to });
  const earlier = from === 0 ? undefined : await wholeVersion(store, { id, userId, version: from });
  const texts = { from: earlier?.written.content ?? '', to: later.written.content };
  return { earlier, later, content: await comparer.compare(userId, texts) };
}
