import { setTimeout as pause } from 'node:timers/promises';
import { type FeedPage, readChanges } from '../services/changes/read.ts';
import type { Store } from '../store/store.ts';
import type { UsersList } from './audience.ts';
import { Batch } from './batch.ts';
import { resetFrame } from './frames.ts';
import type { Listener } from './listener.ts';
import type { Mark } from './mark.ts';
import type { Teller } from './teller.ts';

/** Changes of one page: some 40 KB. */
const PAGE = 200;
/** The pause between two pages that are read for those who come back, so that requests hardly wait. */
const PAUSE_MS = 5;

interface Parts {
  readonly store: Store;
  readonly teller: Teller;
  readonly usersList: UsersList;
}

/** Tells listeners that come back what they have missed. */
export class CatchUp {
  readonly #parts: Parts;
  /** One page is read after another, for all who come back. */
  #reading: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Can a listener go on after this mark? False where the feed has not kept the change, or has another one of that number,
   * because it belongs to another database or to an older copy. Fails as the store.
   */
  async knows({ number, at }: Mark): Promise<boolean> {
    if (number === 0) return at === 0;
    const { teller, store } = this.#parts;
    const change =
      teller.recent.find(number) ??
      (await store.read(readChanges, { after: number - 1, limit: 1 })).changes[0];
    return change?.number === number && change.at === at;
  }

  /** Tells all changes after the mark of the listener, page by page as it takes them, until it is live. Fails as the store. */
  async tell(listener: Listener): Promise<void> {
    const { teller, usersList } = this.#parts;
    while (listener.isOpen) {
      const { number } = listener.mark;
      const recent = teller.recent.after(number);
      const page = recent ? { changes: recent.slice(0, PAGE) } : await this.#read(number);
      if ('goOnAfter' in page) return this.reset(listener);
      const last = page.changes.at(-1);
      const isTaken = !last || listener.tell(new Batch(page.changes, usersList), last);
      // In the turn in which the recent changes were looked at. So none is between them and what is told to all.
      if (recent && recent.length <= PAGE) {
        listener.isLive = true;
        return;
      }
      if (!isTaken) await listener.drained();
    }
  }

  /** Tells the listener that it has missed something, and that it goes on from now. */
  reset(listener: Listener): void {
    const { mark } = this.#parts.teller;
    listener.moveTo(mark, resetFrame(mark));
    listener.isLive = true;
  }

  #read(after: number): Promise<FeedPage> {
    const page = this.#reading.then(() => this.#parts.store.read(readChanges, { after, limit: PAGE }));
    this.#reading = page.then(() => pause(PAUSE_MS, undefined, { ref: false })).catch(() => {});
    return page;
  }
}
