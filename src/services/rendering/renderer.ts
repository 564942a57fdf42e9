import { setTimeout as pause } from 'node:timers/promises';
import { type Asker, FairQueue } from '../../domain/admission/fair-queue.ts';
import { ADMISSION } from '../../domain/admission/figures.ts';
import { Thread } from '../../domain/thread.ts';

/**
 * On a busy machine a thread of low priority may have little of a processor. After so many times as long, it is given
 * up.
 */
const TIMES = 6;
/** Milliseconds between two looks at what a thread has used. */
const CHECK_MS = 100;
/** Mebibytes of memory for young objects. */
const YOUNG = 8;

type RenderingThread = Thread<string, string | undefined>;

interface RendererOptions {
  /** Milliseconds of a processor for a text. */
  readonly patience: number;
  /** Mebibytes of memory for old objects. A text that needs more ends the thread, and only the thread. */
  readonly memory: number;
  /** The error for a text that takes longer, needs too much memory or makes too much HTML. */
  readonly tooDear: () => Error;
}

/** Makes HTML of one text at a time, for askers in turn, in a thread that is ended where a text takes too long. */
export class Renderer {
  readonly #turns = new FairQueue(1, ADMISSION.reads);
  readonly #options: RendererOptions;
  #thread: RenderingThread | undefined;

  constructor(options: RendererOptions) {
    this.#options = options;
  }

  /**
   * Calls `make` when it is the turn of the asker. Fails with `busy` where too many wait, and with `too_many_requests`
   * where the asker waits too often, and as `leaving` when that is aborted before.
   */
  inTurn<Result>(asker: Asker, make: () => Promise<Result>, leaving?: AbortSignal): Promise<Result> {
    return this.#turns.run(asker, make, leaving);
  }

  get turns(): FairQueue['figures'] {
    return this.#turns.figures;
  }

  /** The HTML of a text. Fails with `tooDear`. */
  async html(text: string): Promise<string> {
    this.#thread ??= this.#newThread();
    const thread = this.#thread;
    await thread.start();
    const end = new AbortController();
    const late = this.#late(thread, end.signal);
    const made = await Promise.race([thread.call(text).then((html) => ({ html })), late]).finally(() =>
      end.abort(),
    );
    if (made !== 'late' && made.html !== undefined) return made.html;
    if (made === 'late') {
      this.#thread = undefined;
      await thread.terminate();
    }
    throw this.#options.tooDear();
  }

  #newThread(): RenderingThread {
    const { memory, tooDear } = this.#options;
    return new Thread(new URL('./rendering-thread.ts', import.meta.url), {
      limit: 1,
      accepts: (html) => html === undefined || typeof html === 'string',
      failure: tooDear,
      keepsAlive: false,
      workerOptions: { resourceLimits: { maxOldGenerationSizeMb: memory, maxYoungGenerationSizeMb: YOUNG } },
    });
  }

  /** Resolves when the thread has worked for too long. */
  async #late(thread: RenderingThread, signal: AbortSignal): Promise<'late'> {
    const { patience } = this.#options;
    const [began, before] = [performance.now(), await thread.processorTime()];
    const isOver = () => performance.now() - began > TIMES * patience;
    for (let left = patience; left > 0 && !isOver(); ) {
      await pause(Math.max(left, CHECK_MS), undefined, { ref: false, signal });
      left = before + patience - (await thread.processorTime());
    }
    return 'late';
  }
}
