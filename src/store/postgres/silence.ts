import { unavailable } from '../../domain/failure.ts';

/**
 * Times in which the server keeps its connections and answers nothing. They end long reads, and writes that wait for
 * their turn. Other work needs no signal, because its own time limit ends it soon enough.
 */
export class Silence {
  #next = new AbortController();

  /** Aborts with the next silence. */
  get signal(): AbortSignal {
    return this.#next.signal;
  }

  /** Called when the server is silent. */
  note(): void {
    this.#next.abort(unavailable(new Error('The server is silent.')));
    this.#next = new AbortController();
  }
}
