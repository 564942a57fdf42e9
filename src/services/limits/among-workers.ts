import type { Peer } from '../../domain/peer.ts';
import type { Workers } from '../../domain/workers.ts';

/** Sums of this time are sent together. Meanwhile other workers may allow too much. */
const SEND_MS = 100;

/** The kinds of sums, which are the names of the notices. */
export const SUMS = ['spent', 'stored'] as const;
type Kind = (typeof SUMS)[number];

/**
 * The call of a worker that starts for what the others have counted. The primary calls the others by the same name, and
 * passes on the first answer.
 */
export const COUNTED = 'counted';

export type Sum = readonly [what: string, of: string, amount: number];
type Take = (what: string, of: string, amount: number) => void;

/**
 * Makes sums in the memory of several workers one: each tells the others what it has added, and adds what they tell. To ask
 * the primary for each would cost a message between processes for each request that is counted.
 */
export class SumsOfWorkers {
  readonly #primary: Peer;
  readonly #kind: Kind;
  #unsent = new Map<string, Sum>();

  /** `take` gets what another worker has added. */
  constructor({ primary }: Workers, kind: Kind, take: Take) {
    this.#primary = primary;
    this.#kind = kind;
    primary.onNotice(kind, (sums) => {
      for (const sum of sumsOf(sums)) take(...sum);
    });
  }

  /** What the others know at a start, if there are any. What they add from now on is taken as it comes. */
  async known(): Promise<readonly Sum[]> {
    return sumsOf(await this.#primary.call(COUNTED, null));
  }

  /** Answers a worker that starts. What was not sent yet goes first, so that the worker does not count it twice. */
  answerWith(known: () => readonly Sum[]): void {
    this.#primary.answer(COUNTED, async () => {
      this.#send();
      return known();
    });
  }

  note(what: string, of: string | number, amount: number): void {
    const key = `${what} ${of}`;
    const [, , before] = this.#unsent.get(key) ?? [what, of, 0];
    if (this.#unsent.size === 0) setTimeout(() => this.#send(), SEND_MS).unref();
    this.#unsent.set(key, [what, String(of), before + amount]);
  }

  #send(): void {
    if (this.#unsent.size === 0) return;
    this.#primary.notify(this.#kind, [...this.#unsent.values()]);
    this.#unsent = new Map();
  }
}

function sumsOf(input: unknown): readonly Sum[] {
  return Array.isArray(input) ? input.filter(isSum) : [];
}

function isSum(sum: unknown): sum is Sum {
  if (!Array.isArray(sum)) return false;
  const [what, of, amount] = sum;
  return typeof what === 'string' && typeof of === 'string' && typeof amount === 'number';
}
