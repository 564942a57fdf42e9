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
 * Characters from which a text waits among long ones only. A shorter one takes up to 0.6 s of a processor, or meets the
 * bound of memory after as much. That ends the thread, and the next text waits for another one.
 */
const LONG = 64 * 1024;
/** Mebibytes of memory. A mebibyte of prose needs three quarters of it. A short table of many cells can need more. */
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
    const message =
      'This text, or another one of its author, takes too long to be made into HTML; shorten it, or show it as it is.';
    super({ error: 'busy', message, retryAfter: TooDear.forMs / 1_000 });
  }
}

/** A text to be made into HTML. */
export interface MarkdownText {
  /** Tells the text from every other. */
  readonly key: string;
  readonly text: string;
  /** The account whose text it is: the author of an item, or the caller of a preview. */
  readonly userId: number;
}

function tooBusy(): Failure {
  return busy('The machine is too busy to make HTML of this text; try again in a moment.', BUSY_S);
}

interface Options {
  readonly clock: () => number;
  readonly patience?: number;
}

/** Makes HTML of one text at a time, for askers in turn. */
interface Renderer {
  readonly turns: FairQueue;
  readonly thread: BoundedThread<string, string | undefined>;
  /** Accounts. Each such text of theirs would end the thread, and others would wait for the next one. */
  readonly dear: TooDear;
}

function newRenderer(clock: () => number, patience: number, old: number): Renderer {
  const thread = new BoundedThread<string, string | undefined>(
    new URL('./rendering-thread.ts', import.meta.url),
    {
      patience,
      memory: { old, young: YOUNG },
      accepts: (html) => html === undefined || typeof html === 'string',
    },
  );
  return { turns: new FairQueue(1, ADMISSION.reads), thread, dear: new TooDear(clock) };
}

/** Makes HTML of Markdown. A long text, which may take seconds, keeps no short one waiting. */
export class Rendering {
  readonly #short: Renderer;
  readonly #long: Renderer;
  readonly #cached = lruOf<string>(CACHED, (html) => 2 * html.length + OVERHEAD);
  /** Texts, by `key`, that make too much. */
  readonly #dear: TooDear;

  constructor({ clock, patience = PATIENCE_MS }: Options) {
    this.#dear = new TooDear(clock);
    this.#short = newRenderer(clock, patience, MEMORY.short);
    this.#long = newRenderer(clock, patience, MEMORY.long);
  }

  /**
   * The HTML of a text. Askers take turns. A short text that takes too long waits again, among the long ones. For a
   * minute all short texts of its account go there at once. After a text took too long there, those of its account that
   * go there are refused for a minute. Fails with `busy` for those, for a text that makes too much, and where too many
   * wait; and with `too_many_requests` where the asker waits too often. A text that waits is forgotten, and fails, when
   * `leaving` is aborted.
   */
  async html(asker: Asker, markdown: MarkdownText, leaving?: AbortSignal): Promise<string> {
    const isShort = markdown.text.length < LONG;
    const short = isShort ? await this.#inTurn(this.#short, asker, markdown, leaving) : undefined;
    const html = short ?? (await this.#inTurn(this.#long, asker, markdown, leaving));
    if (html === undefined) throw new TooDearText();
    return html;
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

  /** Undefined where the text is too dear for this renderer, or another one of its account was in the last minute. */
  async #inTurn(
    renderer: Renderer,
    asker: Asker,
    markdown: MarkdownText,
    leaving: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const { key, userId } = markdown;
    const isDear = () => renderer.dear.has(String(userId));
    const known = this.#known(key);
    if (known !== undefined || isDear()) return known;
    // While it waits, the same text may be made, or another one of the account may be too dear.
    const make = async () => this.#known(key) ?? (isDear() ? undefined : this.#make(renderer, markdown));
    return renderer.turns.run(asker, make, leaving);
  }

  async #make({ thread, dear }: Renderer, { key, text, userId }: MarkdownText) {
    // A thread that cannot start fails the call, and says nothing about the text.
    const made = await thread.call(text);
    if ('met' in made) {
      if (made.met === 'clock') throw tooBusy();
      dear.add(String(userId));
      return undefined;
    }
    if (made.output === undefined) {
      this.#dear.add(key);
      throw new TooDearText();
    }
    if (made.output.length <= LONGEST) this.#cached.set(key, made.output);
    return made.output;
  }
}
