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

/**
 * How many texts of an account may be too dear within a minute, before it gets no HTML of its others. A writer sends
 * previews. Items are asked for by readers, who may not take HTML from all other items of an author by a single one.
 */
const MOST_DEAR = { preview: 1, item: 3 };

function tooDear(message: string): Failure {
  return new Failure({ error: 'busy', message, retryAfter: TooDear.forMs / 1_000 });
}

function textTooDear(): Failure {
  return tooDear('This text takes too long to be made into HTML; shorten it, or show it as it is.');
}

/** A text to be made into HTML. */
export interface MarkdownText {
  /** Tells the text from every other. */
  readonly key: string;
  readonly text: string;
  readonly kind: keyof typeof MOST_DEAR;
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
  readonly dear: Record<MarkdownText['kind'], TooDear>;
}

function newRenderer(clock: () => number, patience: number, old: number, most = MOST_DEAR): Renderer {
  const thread = new BoundedThread<string, string | undefined>(
    new URL('./rendering-thread.ts', import.meta.url),
    {
      patience,
      memory: { old, young: YOUNG },
      accepts: (html) => html === undefined || typeof html === 'string',
    },
  );
  const dear = { preview: new TooDear(clock, most.preview), item: new TooDear(clock, most.item) };
  return { turns: new FairQueue(1, ADMISSION.reads), thread, dear };
}

/** Makes HTML of Markdown. A long text, which may take seconds, keeps no short one waiting. */
export class Rendering {
  readonly #short: Renderer;
  readonly #long: Renderer;
  readonly #cached = lruOf<string>(CACHED, (html) => 2 * html.length + OVERHEAD);
  /** Texts, by `key`. */
  readonly #dear: TooDear;

  constructor({ clock, patience = PATIENCE_MS }: Options) {
    this.#dear = new TooDear(clock);
    // Short texts that are refused here are made among the long ones.
    this.#short = newRenderer(clock, patience, MEMORY.short, { preview: 1, item: 1 });
    this.#long = newRenderer(clock, patience, MEMORY.long);
  }

  /**
   * The HTML of a text. Askers take turns. A short text that takes too long waits again, among the long ones. For a
   * minute all short texts of its account go there at once. A text that takes too long there, or makes too much, is
   * refused for a minute. So are others of its account that go there, after one preview or three items. Fails with
   * `busy` for all these, and where too many wait; and with `too_many_requests` where the asker waits too often. A text
   * that waits is forgotten, and fails, when `leaving` is aborted.
   */
  async html(asker: Asker, markdown: MarkdownText, leaving?: AbortSignal): Promise<string> {
    const isShort = markdown.text.length < LONG;
    const short = isShort ? await this.#inTurn(this.#short, asker, markdown, leaving) : undefined;
    const html = short ?? (await this.#inTurn(this.#long, asker, markdown, leaving));
    if (html !== undefined) return html;
    throw tooDear(
      'Other texts of the same account took too long to be made into HTML; try again in a minute, or show this one as it is.',
    );
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
    if (this.#dear.has(key)) throw textTooDear();
    return this.#cached.get(key);
  }

  /** Undefined where the account gets no more of this renderer, or the text is too dear for the one of short texts. */
  async #inTurn(
    renderer: Renderer,
    asker: Asker,
    markdown: MarkdownText,
    leaving: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const { key, kind, userId } = markdown;
    const isDear = () => renderer.dear[kind].has(String(userId));
    const known = this.#known(key);
    if (known !== undefined || isDear()) return known;
    // While it waits, the same text may be made, or others of the account may be too dear.
    const make = async () => this.#known(key) ?? (isDear() ? undefined : this.#make(renderer, markdown));
    return renderer.turns.run(asker, make, leaving);
  }

  async #make(renderer: Renderer, { key, text, kind, userId }: MarkdownText) {
    // A thread that cannot start fails the call, and says nothing about the text.
    const made = await renderer.thread.call(text);
    if ('met' in made) {
      if (made.met === 'clock') throw tooBusy();
      renderer.dear[kind].add(String(userId));
      if (renderer === this.#short) return undefined;
    }
    const html = 'output' in made ? made.output : undefined;
    if (html === undefined) {
      this.#dear.add(key);
      throw textTooDear();
    }
    if (html.length <= LONGEST) this.#cached.set(key, html);
    return html;
  }
}
