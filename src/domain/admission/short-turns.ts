import { ADMISSION } from './figures.ts';
import { Turns } from './turns.ts';

type Kind = 'request' | 'heavy';
type Begin = () => void;

/**
 * Keeps each turn of the event loop short: work beyond its time begins in a later turn, one source after another.
 * Node.js accepts one connection in a turn. If a turn did everything that sixty clients ask for, the last of sixty new
 * clients would wait for seconds.
 */
export class ShortTurns {
  readonly #waiting = new Turns<Kind, Begin>(['request', 'heavy'], ADMISSION.requests);
  /** When the first work of this turn began, by `performance.now()`. */
  #began: number | undefined;
  #limit: number = ADMISSION.turn;
  #hasNewConnection = false;
  #turnsWithoutHeavy = 0;

  /** Makes the next turn shorter, so that the next waiting connection is accepted soon. */
  noteConnection(): void {
    this.#hasNewConnection = true;
  }

  get waiting(): { readonly request: number; readonly heavy: number } {
    return { request: this.#waiting.lengthOf('request'), heavy: this.#waiting.lengthOf('heavy') };
  }

  /** True when this turn has time for one more request, and none waits. */
  mayBegin(): boolean {
    return this.#waiting.lengthOf('request') === 0 && this.#hasTime();
  }

  /**
   * Begins the work in a later turn. A heavy task, which reads or writes JSON for a millisecond or more, gets a turn
   * without another. The returned function cancels work that still waits. The queue never drops any: it is as long as
   * requests may be under way.
   */
  wait(kind: Kind, source: string, work: Begin): () => void {
    this.#waiting.add(kind, source, work);
    this.#noteTurn();
    return () => this.#waiting.remove(kind, source, work);
  }

  #hasTime(): boolean {
    return performance.now() - this.#noteTurn() < this.#limit;
  }

  #noteTurn(): number {
    if (this.#began !== undefined) return this.#began;
    setImmediate(() => this.#nextTurn());
    this.#began = performance.now();
    return this.#began;
  }

  #nextTurn(): void {
    const isWithoutHeavy = this.#hasNewConnection && this.#turnsWithoutHeavy < ADMISSION.turnsWithoutHeavy;
    this.#turnsWithoutHeavy = isWithoutHeavy ? this.#turnsWithoutHeavy + 1 : 0;
    this.#limit = this.#hasNewConnection ? ADMISSION.turnAfterConnection : ADMISSION.turn;
    this.#hasNewConnection = false;
    this.#began = undefined;
    if (this.#waiting.length === 0) return;
    this.#noteTurn();
    if (!isWithoutHeavy) this.#waiting.takeOf('heavy')?.();
    afterWork(() => this.#beginRequest());
  }

  #beginRequest(): void {
    const next = this.#waiting.takeOf('request');
    if (!next) return;
    next();
    afterWork(() => {
      if (this.#hasTime()) this.#beginRequest();
    });
  }
}

/** Runs after all work that was begun before has done what it could at once, so that the clock shows how long it took. */
function afterWork(then: () => void): void {
  queueMicrotask(() => process.nextTick(then));
}
