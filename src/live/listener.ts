import type { Caller } from '../domain/account.ts';
import { ADMISSION } from '../domain/admission/figures.ts';
import type { Batch } from './batch.ts';
import { quietFrame } from './frames.ts';
import type { Mark } from './mark.ts';

/** What a listener needs of its answer (http/streams.ts). */
export interface Output {
  readonly isOpen: boolean;
  readonly unsent: number;
  send(text: string | Uint8Array): boolean;
  drained(): Promise<void>;
  end(): void;
}

/** One open stream, and how far it was told. */
export class Listener {
  /** As it was when it was checked last (check.ts). */
  caller: Caller;
  /** False while it is told what it missed (catch-up.ts). */
  isLive = false;
  #mark: Mark;
  readonly #keys: ReadonlySet<string>;
  readonly #output: Output;
  #wasSlow = false;

  /** `keys` are the ids of the keys that were accepted when the stream was asked for. */
  constructor(caller: Caller, keys: ReadonlySet<string>, mark: Mark, output: Output) {
    this.caller = caller;
    this.#keys = keys;
    this.#mark = mark;
    this.#output = output;
  }

  get mark(): Mark {
    return this.#mark;
  }

  get isOpen(): boolean {
    return this.#output.isOpen;
  }

  /** Has a key been removed since the stream was asked for? `accepted` are those of now. */
  hasLostKey(accepted: ReadonlySet<string>): boolean {
    return !this.#keys.isSubsetOf(accepted);
  }

  /** Tells what this listener may know of the changes up to `mark`. False where it should take that first (`drained`). */
  tell(batch: Batch, mark: Mark): boolean {
    const bytes = batch.bytesFor(this.caller);
    this.#mark = mark;
    return bytes.length === 0 || this.#send(bytes);
  }

  /** Sends a frame that moves the listener to `mark`. */
  moveTo(mark: Mark, frame: string): void {
    this.#mark = mark;
    this.#send(frame);
  }

  /** A sign of life. Ends a listener that has not taken everything since the sign before. */
  keep(): void {
    const isSlow = this.#output.unsent > 0;
    if (isSlow && this.#wasSlow) this.end();
    else this.#send(quietFrame(this.#mark));
    this.#wasSlow = isSlow;
  }

  drained(): Promise<void> {
    return this.#output.drained();
  }

  /** The client comes back, and resumes where it was. */
  end(): void {
    this.#output.end();
  }

  /** A listener that does not read is ended: what waits for it would fill the memory. */
  #send(text: string | Uint8Array): boolean {
    if (this.#output.unsent <= ADMISSION.unsentOfStream) return this.#output.send(text);
    this.end();
    return true;
  }
}
