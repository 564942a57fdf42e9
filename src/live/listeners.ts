import { ADMISSION } from '../domain/admission/figures.ts';
import { Shares } from '../domain/admission/shares.ts';
import { busy, tooManyRequests } from '../domain/failure.ts';
import type { Listener } from './listener.ts';

/** Seconds after which a place may be free. */
const RETRY_SECONDS = 5;

/** The place of one stream. */
export interface Place {
  readonly source: string;
  /** Gives it back, once. */
  readonly give: () => void;
}

/** Those who listen at this process, and how many may. */
export class Listeners {
  readonly #most: number;
  /** Places that are taken, by account. A place is taken before the stream begins. */
  readonly #taken = new Map<number, number>();
  /** The same by source. A single source gets half, rounded up. */
  readonly #shares: Shares;
  /** The listeners, the oldest first, and the place of each. */
  readonly #all = new Map<Listener, Place>();

  constructor(most: number) {
    this.#most = most;
    this.#shares = new Shares(most + 1);
  }

  /**
   * Takes a place until it is given back. Where an account has all of its own, its oldest stream ends and gives its
   * place: a network that was left says nothing, and such a stream is dead for a quarter of an hour before the system
   * notices. A client that lives comes back. Fails with `too_many_requests` where none of them has begun or the source
   * would have more than its share, or with `busy`. No stream ends then.
   */
  take(userId: number, source: string): Place {
    if (this.#takenBy(userId) >= ADMISSION.streamsOfAccount) this.#endOldest(userId, source);
    else if (this.#shares.taken >= this.#most)
      throw busy('Too many streams are open; try again later.', RETRY_SECONDS);
    if (!this.#shares.take(source)) throw ofNetwork();
    this.#taken.set(userId, this.#takenBy(userId) + 1);
    return { source, give: () => this.#give(userId, source) };
  }

  /** True when nobody listens, nor is about to. */
  get isEmpty(): boolean {
    return this.#shares.taken === 0;
  }

  get count(): number {
    return this.#all.size;
  }

  get all(): readonly Listener[] {
    return [...this.#all.keys()];
  }

  /** Adds a listener, which gives back its place when it is removed. */
  add(listener: Listener, place: Place): void {
    this.#all.set(listener, place);
  }

  /** Gives back the place of the listener, at the first call. */
  remove(listener: Listener): void {
    const place = this.#all.get(listener);
    this.#all.delete(listener);
    place?.give();
  }

  /** Fails without ending a stream where its place would be of no use to the source. */
  #endOldest(userId: number, source: string): void {
    for (const [listener, place] of this.#all) {
      if (listener.caller.userId !== userId) continue;
      if (!this.#shares.wouldTakeAfter(place.source, source)) throw ofNetwork();
      listener.end();
      // At once: its answer ends only with the turn, and the next call must find another.
      this.remove(listener);
      return;
    }
    throw tooManyRequests(
      'Too many streams of your account are being opened; try again later.',
      RETRY_SECONDS,
    );
  }

  #takenBy(userId: number): number {
    return this.#taken.get(userId) ?? 0;
  }

  #give(userId: number, source: string): void {
    const left = this.#takenBy(userId) - 1;
    if (left > 0) this.#taken.set(userId, left);
    else this.#taken.delete(userId);
    this.#shares.give(source);
  }
}

function ofNetwork() {
  return tooManyRequests('Too many streams of your network are open; try again later.', RETRY_SECONDS);
}
