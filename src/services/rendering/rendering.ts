import { setTimeout as pause } from 'node:timers/promises';
import { type Asker, FairQueue } from '../../domain/admission/fair-queue.ts';
import { ADMISSION } from '../../domain/admission/figures.ts';
import { Failure } from '../../domain/failure.ts';
import type { Reading } from '../../domain/metrics.ts';
import { Thread } from '../../domain/thread.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import { lruOf } from '../lru.ts';

/** Another name with each change of what HTML is made, so that no client keeps the earlier one. */
export const HTML_FORM = 'html1';

/** Of a processor. A mebibyte of prose takes a tenth of it. */
const PATIENCE_MS = 5_000;
/** On a busy machine a thread of low priority may have little of a processor. After so many times as long, it is given up. */
const TIMES = 6;
/** Milliseconds between two looks at what a thread has used. */
const CHECK_MS = 100;
/** Mebibytes of memory for old and young objects. A text that needs more ends the thread, and only the thread. */
const MEMORY = 128;
const YOUNG = 16;
/** Bytes of the whole cache. */
const CACHED = 16 * 1024 * 1024;
/** Bytes of an entry in addition to its characters. */
const OVERHEAD = 512;
/** Longer HTML is not cached, because it would replace many others. */
const LONGEST = 2 * 1024 * 1024;
/** Texts that took too long, which are not tried again for a while. */
const REFUSED = 1_000;
const REFUSED_MS = MINUTE_MS;

class TooDear extends Failure {
  constructor() {
    const message = 'The text of this item takes too long to be made into HTML; read it without format=html.';
    super({ error: 'busy', message, retryAfter: REFUSED_MS / 1_000 });
  }
}

type RenderingThread = Thread<string, string | undefined>;

function newThread(): RenderingThread {
  return new Thread(new URL('./rendering-thread.ts', import.meta.url), {
    limit: 1,
    accepts: (html) => html === undefined || typeof html === 'string',
    failure: () => new TooDear(),
    keepsAlive: false,
    workerOptions: { resourceLimits: { maxOldGenerationSizeMb: MEMORY, maxYoungGenerationSizeMb: YOUNG } },
  });
}

interface Options {
  readonly clock: () => number;
  readonly patience?: number;
}

/** Makes HTML of Markdown, one text at a time, in a thread that is ended where a text takes too long. */
export class Rendering {
  readonly #turns = new FairQueue(1, ADMISSION.reads);
  readonly #cached = lruOf<string>(CACHED, (html) => 2 * html.length + OVERHEAD);
  /** When each text was refused, in milliseconds since 1970. */
  readonly #refused = lruOf<number>(REFUSED);
  readonly #clock: () => number;
  readonly #patience: number;
  #thread: RenderingThread | undefined;

  constructor({ clock, patience = PATIENCE_MS }: Options) {
    this.#clock = clock;
    this.#patience = patience;
  }

  /**
   * The HTML of a text. `key` tells the text from every other. Askers take turns. Fails with `busy` where too many wait, or
   * where the text takes too long or makes too much; and with `too_many_requests` where the asker waits too often.
   */
  async html(asker: Asker, key: string, text: string): Promise<string> {
    return this.#known(key) ?? this.#turns.run(asker, async () => this.#known(key) ?? this.#make(key, text));
  }

  get readings(): readonly Reading[] {
    return this.#cached.readings('HTML');
  }

  #known(key: string): string | undefined {
    const [now, at] = [this.#clock(), this.#refused.get(key)];
    // If now is before `at`, the clock was set back.
    if (at !== undefined && now >= at && now - at < REFUSED_MS) throw new TooDear();
    return this.#cached.get(key);
  }

  async #make(key: string, text: string): Promise<string> {
    try {
      const html = await this.#render(text);
      if (html.length <= LONGEST) this.#cached.set(key, html);
      return html;
    } catch (error) {
      // Any other failure, such as a thread that cannot start, says nothing about the text.
      if (error instanceof TooDear) this.#refused.set(key, this.#clock());
      throw error;
    }
  }

  async #render(text: string): Promise<string> {
    this.#thread ??= newThread();
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
    throw new TooDear();
  }

  /** Resolves when the thread has worked for too long. */
  async #late(thread: RenderingThread, signal: AbortSignal): Promise<'late'> {
    const [began, before] = [performance.now(), await thread.processorTime()];
    const isOver = () => performance.now() - began > TIMES * this.#patience;
    for (let left = this.#patience; left > 0 && !isOver(); ) {
      await pause(Math.max(left, CHECK_MS), undefined, { ref: false, signal });
      left = before + this.#patience - (await thread.processorTime());
    }
    return 'late';
  }
}
