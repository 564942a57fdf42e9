import type { ReadOperation } from './operation.ts';

/** Bytes of all outputs that are kept, by what their operations say of them (`bytesOf`). */
const KEPT = 8 * 1024 * 1024;
/** Bytes of an output in addition to those. */
const OVERHEAD = 512;
/** A larger output is not kept, because it would replace many others. */
const LARGEST = 128 * 1024;
/** Inputs that are remembered because somebody asked for them. */
const ASKED = 4_096;

interface Kept {
  readonly output: Promise<unknown>;
  bytes: number;
}

/** Makes a read once that many requests ask for with equal inputs, such as one row or the first page of a list. */
export class SharedReads {
  readonly #outputs = new Map<string, Kept>();
  readonly #asked = new Set<string>();
  #bytes = 0;
  #state: number | undefined;

  /**
   * The output of an equal read, or of `run`. `stateOf` returns another number as soon as an output from before might
   * lack a committed write.
   */
  read<Input, Output>(
    { name, bytesOf }: ReadOperation<Input, Output>,
    input: Input,
    stateOf: () => number,
    run: () => Promise<Output>,
  ): Promise<Output> {
    if (!bytesOf) return run();
    const state = stateOf();
    if (this.#state !== state) this.#forgetAll();
    this.#state = state;
    const key = `${name} ${JSON.stringify(input)}`;
    const shared = this.#outputs.get(key);
    // No two operations have one name, so it is an output of this one.
    if (shared) return shared.output as Promise<Output>;
    const output = run();
    this.#keep(key, output, bytesOf);
    return output;
  }

  #keep<Output>(key: string, output: Promise<Output>, bytesOf: (output: Output) => number): void {
    const kept = { output, bytes: 0 };
    this.#outputs.set(key, kept);
    output.then(
      (made) => this.#count(key, kept, OVERHEAD + bytesOf(made)),
      // A failure is not kept: the next request tries again.
      () => this.#forget(key, kept),
    );
  }

  #count(key: string, kept: Kept, bytes: number): void {
    if (this.#outputs.get(key) !== kept) return;
    kept.bytes = bytes;
    this.#bytes += bytes;
    if (bytes > LARGEST || this.#isFirst(key)) this.#forget(key, kept);
    for (const [oldest, each] of this.#outputs) {
      if (this.#bytes <= KEPT) return;
      this.#forget(oldest, each);
    }
  }

  /** An output is kept when it is asked for again: what is read once is not worth the place of another. */
  #isFirst(key: string): boolean {
    if (this.#asked.has(key)) return false;
    if (this.#asked.size >= ASKED) this.#asked.clear();
    this.#asked.add(key);
    return true;
  }

  #forget(key: string, kept: Kept): void {
    if (this.#outputs.get(key) !== kept) return;
    this.#outputs.delete(key);
    this.#bytes -= kept.bytes;
  }

  #forgetAll(): void {
    this.#outputs.clear();
    this.#asked.clear();
    this.#bytes = 0;
  }
}
