import type { ReadOperation } from './operation.ts';

/** Outputs that are kept at a time. A page of 100 states of items has about 40 kB. */
const OUTPUTS = 64;

/** Makes a read once that many requests ask for with equal inputs (`isShared`), such as the first page of a list. */
export class SharedReads {
  readonly #outputs = new Map<string, Promise<unknown>>();
  #state: number | undefined;

  /**
   * The output of an equal read, or of `run`. `stateOf` returns another number as soon as an output from before might
   * lack a committed write.
   */
  read<Input, Output>(
    { name, isShared }: ReadOperation<Input, Output>,
    input: Input,
    stateOf: () => number,
    run: () => Promise<Output>,
  ): Promise<Output> {
    if (!isShared) return run();
    const state = stateOf();
    if (this.#state !== state) this.#outputs.clear();
    this.#state = state;
    const key = `${name} ${JSON.stringify(input)}`;
    const shared = this.#outputs.get(key);
    // No two operations have one name, so it is an output of this one.
    if (shared) return shared as Promise<Output>;
    const output = run();
    this.#keep(key, output);
    return output;
  }

  /** A failure is not kept: the next request tries again. */
  #keep(key: string, output: Promise<unknown>): void {
    const [oldest] = this.#outputs.keys();
    if (this.#outputs.size >= OUTPUTS && oldest !== undefined) this.#outputs.delete(oldest);
    this.#outputs.set(key, output);
    output.catch(() => this.#outputs.delete(key));
  }
}
