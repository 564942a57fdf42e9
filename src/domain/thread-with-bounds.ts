import { setTimeout as pause } from 'node:timers/promises';
import { Thread } from './thread.ts';

/**
 * On a busy machine a thread of low priority may have little of a processor. After so many times as long, it is given
 * up.
 */
const TIMES = 6;
/** Milliseconds between two looks at what a thread has used. */
const CHECK_MS = 100;

interface BoundedThreadOptions<Input> {
  /** Milliseconds of a processor for a call. */
  readonly patience: number;
  /** Mebibytes of memory for old and for young objects. A call that needs more ends the thread, and only the thread. */
  readonly memory: { readonly old: number; readonly young: number };
  readonly accepts: (value: unknown, input: Input) => boolean;
}

/**
 * Why a call was given up. `cost`: it used too much of a processor or memory. `clock`: only the clock ran out, as on a
 * busy machine, which says nothing about the input.
 */
type Bound = 'cost' | 'clock';

export type BoundedAnswer<Output> = { readonly output: Output } | { readonly met: Bound };

/** The thread ended during a call, or because of it. */
class Lost extends Error {}

/** Answers one call at a time, in a thread that is ended where a call takes too long or needs too much memory. */
export class BoundedThread<Input, Output> {
  readonly #module: URL;
  readonly #options: BoundedThreadOptions<Input>;
  #thread: Thread<Input, Output> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(module: URL, options: BoundedThreadOptions<Input>) {
    this.#module = module;
    this.#options = options;
  }

  /**
   * The output, or what the call met that took too long or needed too much memory. Who may wait, and for how long, is
   * decided before (`FairQueue`). Fails where the thread cannot start, and as the call fails.
   */
  call(input: Input): Promise<BoundedAnswer<Output>> {
    const answer = this.#last.then(() => this.#answer(input));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #answer(input: Input): Promise<BoundedAnswer<Output>> {
    this.#thread ??= this.#newThread();
    const thread = this.#thread;
    await thread.start();
    const end = new AbortController();
    const late = this.#late(thread, end.signal);
    try {
      const made = await Promise.race([thread.call(input).then((output) => ({ output })), late]);
      if ('output' in made) return made;
      this.#thread = undefined;
      await thread.terminate();
      return made;
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      return { met: 'cost' };
    } finally {
      end.abort();
    }
  }

  #newThread(): Thread<Input, Output> {
    const { memory, accepts } = this.#options;
    return new Thread(this.#module, {
      limit: 1,
      accepts,
      failure: ({ message }) => new Lost(message),
      keepsAlive: false,
      workerOptions: {
        resourceLimits: { maxOldGenerationSizeMb: memory.old, maxYoungGenerationSizeMb: memory.young },
      },
    });
  }

  /** Resolves when the thread has worked for too long. */
  async #late(thread: Thread<Input, Output>, signal: AbortSignal): Promise<{ readonly met: Bound }> {
    const { patience } = this.#options;
    const [began, before] = [performance.now(), await thread.processorTime()];
    const isOver = () => performance.now() - began > TIMES * patience;
    let left = patience;
    while (left > 0 && !isOver()) {
      await pause(Math.max(left, CHECK_MS), undefined, { ref: false, signal });
      left = before + patience - (await thread.processorTime());
    }
    return { met: left > 0 ? 'clock' : 'cost' };
  }
}
