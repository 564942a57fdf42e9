import { batch, computed, signal } from '@preact/signals';
import { onceKey } from './ask.ts';
import { type Stored, tagOf } from './record.ts';
import { create, type Refusal, type Saved, save } from './save.ts';
import { dropUnsaved, keepUnsaved, keyOf } from './unsaved.ts';
import { changesOf, isSame, mergedOf, NOTHING, type Written } from './written.ts';

/** How long what was typed may be kept nowhere, and when an offline save is tried again. */
const KEEP_MS = 800;
const AGAIN_MS = 5_000;

/** A question to the author. */
export type Asked = 'publish' | 'withdraw' | 'discard' | 'trash' | 'purge' | 'schedule' | undefined;

export type State = 'saved' | 'unsaved' | 'saving' | 'waiting';

/** One item in the editor: what the service has, what the author wrote since, and its saving. */
export class Editing {
  readonly stored = signal<Stored | undefined>(undefined);
  /** Everything but the text, which the text editor has. */
  readonly fields = signal<Written>(NOTHING);
  readonly state = signal<State>('saved');
  readonly problem = signal<Refusal | undefined>(undefined);
  /** What another save left, until the author has chosen. */
  readonly stale = signal<Stored | undefined>(undefined);
  readonly asked = signal<Asked>(undefined);
  /** What else is done to the item now, such as its publication. */
  readonly acting = signal<Promise<unknown> | undefined>(undefined);
  /** The version of the item over which the author agreed to publish at a time. */
  agreed: number | undefined;
  /** False where the browser has no room for what is not saved, or allows no storage. */
  readonly isKept = signal(true);
  readonly isDirty = computed(() => this.state.value !== 'saved');
  readonly account: number;
  #key = onceKey();
  #text = () => '';
  #put: (text: string) => void = () => {};
  #focus = () => {};
  #keeping: ReturnType<typeof setTimeout> | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<boolean> | undefined;
  /** What was sent and got no answer. The same is sent again first: the service may have it. */
  #sent: Written | undefined;
  #isClosed = false;

  constructor(account: number, stored: Stored | undefined) {
    this.account = account;
    this.stored.value = stored;
    this.fields.value = stored?.written ?? NOTHING;
    addEventListener('online', this.#online);
  }

  /** Says where the text is. Returns where it was. */
  connect(text: () => string, put: (text: string) => void, focus = this.#focus) {
    const before = { text: this.#text, put: this.#put };
    this.#text = text;
    this.#put = put;
    this.#focus = focus;
    return before;
  }

  /** Gives the focus to the text. */
  focusText(): void {
    this.#focus();
  }

  written(): Written {
    return { ...this.fields.peek(), content: this.#text() };
  }

  #keptAt(): string {
    return keyOf(this.account, this.stored.peek()?.id, this.#key);
  }

  #base(): Written {
    return this.stored.peek()?.written ?? NOTHING;
  }

  change(part: Partial<Written>): void {
    this.fields.value = { ...this.fields.peek(), ...part };
    this.touched();
  }

  /** Something was typed. */
  touched(): void {
    if (this.state.peek() === 'saved') this.state.value = 'unsaved';
    this.#keeping ??= setTimeout(() => this.keep(), KEEP_MS);
  }

  /**
   * Keeps in the browser what is not saved, and notices where nothing is unsaved any more. The answer to a save may
   * come after the author has left.
   */
  keep(): void {
    clearTimeout(this.#keeping);
    this.#keeping = undefined;
    if (!this.isDirty.peek()) return;
    const stored = this.stored.peek();
    const written = changesOf(this.#base(), this.written());
    const { content, ...was } = changesOf(this.written(), this.#base());
    if (Object.keys(written).length === 0) this.#settle();
    else {
      const sent = stored ? undefined : this.#sent;
      const unsaved = { at: Date.now(), tag: tagOf(stored), written, was, sent };
      this.isKept.value = keepUnsaved(this.#keptAt(), unsaved);
    }
  }

  #settle(): void {
    if (this.state.peek() === 'unsaved') this.state.value = 'saved';
    this.isKept.value = true;
    dropUnsaved(this.#keptAt());
  }

  /** Puts a whole version into the editor. */
  take(written: Written): void {
    this.fields.value = written;
    this.#put(written.content);
    this.touched();
    this.keep();
  }

  /**
   * Goes on with a new item that an earlier page sent: the same is sent first, with the same key, which makes it once.
   */
  adopt(key: string, sent: Written): void {
    // This page may have made an item itself.
    if (this.#sent) return;
    dropUnsaved(this.#keptAt());
    this.#key = key;
    this.#sent = sent;
  }

  /**
   * Saves what is unsaved, but for an author who is asked about another save. While one save is under way the next one
   * waits, because it may have more to save. True where all is saved then.
   */
  save(): Promise<boolean> {
    if (this.stale.peek()) return Promise.resolve(false);
    const acting = this.acting.peek();
    if (acting) return acting.then(() => this.save());
    if (this.#running)
      return this.#running.then((isMade) => (isMade && this.isDirty.peek() ? this.save() : isMade));
    this.#running = this.#save().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #save(): Promise<boolean> {
    clearTimeout(this.#again);
    const [stored, again] = [this.stored.peek(), this.#sent];
    const written = again ?? this.written();
    // Kept before the service has it: the page may end before the answer.
    if (!stored) this.#sent = written;
    this.keep();
    this.problem.value = undefined;
    if (stored && isSame(stored.written, written)) {
      this.state.value = 'saved';
      return true;
    }
    this.state.value = 'saving';
    const saved = await (stored ? save(stored, written, this.agreed) : create(written, this.#key));
    this.#sent = saved.kind === 'offline' ? written : undefined;
    const isMade = this.settle(saved, written);
    return isMade && again && this.isDirty.peek() ? this.#save() : isMade;
  }

  /** Does something else to the item. A save waits for its end, because the item has another entity tag then. */
  act(work: () => Promise<void>): Promise<void> {
    const acting = work().finally(() => {
      this.acting.value = undefined;
    });
    this.acting.value = acting;
    return acting;
  }

  /** Takes what a write answered. True where it was made. */
  settle(saved: Saved, sent: Written): boolean {
    if (saved.kind === 'saved') {
      dropUnsaved(this.#keptAt());
      const { stored } = saved;
      batch(() => {
        this.fields.value = mergedOf(sent, this.written(), stored.written);
        this.stored.value = stored;
        this.state.value = 'unsaved';
        // Where nothing was typed since, nothing is unsaved.
        this.keep();
      });
      return true;
    }
    this.state.value = 'unsaved';
    if (saved.kind === 'stale') {
      this.stale.value = saved.stored;
      return false;
    }
    if (saved.kind === 'behind') {
      const base = this.#base();
      batch(() => {
        this.fields.value = mergedOf(base, this.written(), saved.stored.written);
        this.stored.value = saved.stored;
        this.asked.value = changesOf(base, sent).publish_at ? 'schedule' : 'publish';
        this.keep();
      });
      return false;
    }
    if (saved.before) this.stored.value = saved.before;
    this.keep();
    if (saved.kind === 'refused') this.problem.value = saved;
    else {
      this.state.value = 'waiting';
      this.#again = setTimeout(() => this.#retry(), AGAIN_MS);
    }
    return false;
  }

  readonly #online = () => this.#retry();

  #retry(): void {
    if (this.#isClosed || this.state.peek() !== 'waiting') return;
    void this.save();
  }

  /** The author has seen what another one saved: the next save replaces that. */
  resolve(theirs: Stored, written: Written): Promise<boolean> {
    this.stored.value = theirs;
    this.stale.value = undefined;
    this.take(written);
    return this.save();
  }

  close(): void {
    this.keep();
    this.#isClosed = true;
    clearTimeout(this.#again);
    removeEventListener('online', this.#online);
  }
}
