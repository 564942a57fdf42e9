import { type Asker, FairQueue } from '../../domain/admission/fair-queue.ts';
import { ADMISSION } from '../../domain/admission/figures.ts';
import { busy, Failure } from '../../domain/failure.ts';
import { type Reading, readingsBy } from '../../domain/metrics.ts';
import { BoundedThread } from '../../domain/thread-with-bounds.ts';
import { lruOf } from '../lru.ts';
import { TooDear } from '../too-dear.ts';

/** Another name with each change of what HTML is made, so that no client keeps the earlier one. */
export const HTML_FORM = 'html1';

/** Of a processor. A mebibyte of prose takes a tenth of it. */
const PATIENCE_MS = 5_000;
/**
 * Characters from which a text waits among long ones only. The dearest shorter one takes half a second of a processor.
 */
const LONG = 64 * 1024;
/** Mebibytes of memory. The dearest short text needs nearly all of it, and a mebibyte of prose three quarters. */
const MEMORY = { short: 48, long: 80 };
/** The same for young objects. */
const YOUNG = 8;
/** Bytes of the whole cache. */
const CACHED = 16 * 1024 * 1024;
/** Bytes of an entry in addition to its characters. */
const OVERHEAD = 512;
/** Seconds after which a client tries again where the machine was too busy. */
const BUSY_S = 5;
/** Longer HTML is not cached, because it would replace many others. */
const LONGEST = 2 * 1024 * 1024;

class TooDearText extends Failure {
  constructor() {
    const message = 'This text takes too long to be made into HTML; shorten it, or show it as it is.';
    super({ error: 'busy', message, retryAfter: TooDear.forMs / 1_000 });
  }
}

interface Options {
  readonly clock: () => number;
  readonly patience?: number;
}

/** Makes HTML of one text at a time, for askers in turn. */
interface Renderer {
  readonly turns: FairQueue;
  readonly thread: BoundedThread<string, string | undefined>;
}

function newRenderer(patience: number, old: number): Renderer {
  const thread = new BoundedThread<string, string | undefined>(
    new URL('./rendering-thread.ts', import.meta.url),
    {
      patience,
      memory: { old, young: YOUNG },
      accepts: (html) => html === undefined || typeof html === 'string',
    },
  );
  return { turns: new FairQueue(1, ADMISSION.reads), thread };
}

/** Makes HTML of Markdown. A long text, which may take seconds, keeps no short one waiting. */
export class Rendering {
  readonly #short: Renderer;
  readonly #long: Renderer;
  readonly #cached = lruOf<string>(CACHED, (html) => 2 * html.length + OVERHEAD);
  /** By `key`. */
  readonly #dear: TooDear;

  constructor({ clock, patience = PATIENCE_MS }: Options) {
    this.#dear = new TooDear(clock);
    this.#short = newRenderer(patience, MEMORY.short);
    this.#long = newRenderer(patience, MEMORY.long);
  }

  /**
   * The HTML of a text. `key` tells the text from every other. Askers take turns. Fails with `busy` where too many
   * wait, or where the text takes too long or makes too much; and with `too_many_requests` where the asker waits too
   * often. A text that waits is forgotten, and fails, when `leaving` is aborted.
   */
  async html(asker: Asker, key: string, text: string, leaving?: AbortSignal): Promise<string> {
    const renderer = text.length < LONG ? this.#short : this.#long;
    const make = async () => this.#known(key) ?? this.#make(renderer, key, text);
    return this.#known(key) ?? renderer.turns.run(asker, make, leaving);
  }

  get readings(): readonly Reading[] {
    const [short, long] = [this.#short.turns.figures, this.#long.turns.figures];
    return [
      ...this.#cached.readings('HTML'),
      ...readingsBy('stoa_admission_waiting', 'kind', { html: short.waiting + long.waiting }),
      ...readingsBy('stoa_admission_refused_total', 'reason', { html: short.refused + long.refused }),
    ];
  }

  #known(key: string): string | undefined {
    if (this.#dear.has(key)) throw new TooDearText();
    return this.#cached.get(key);
  }

  async #make({ thread }: Renderer, key: string, text: string): Promise<string> {
    // A thread that cannot start fails the call, and says nothing about the text.
    const made = await thread.call(text);
    if ('met' in made && made.met === 'clock') {
      throw busy('The machine is too busy to make HTML of this text; try again in a moment.', BUSY_S);
    }
    const html = 'output' in made ? made.output : undefined;
    if (html === undefined) {
      this.#dear.add(key);
      throw new TooDearText();
    }
    if (html.length <= LONGEST) this.#cached.set(key, html);
    return html;
  }
}
