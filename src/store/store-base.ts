import type { Reading } from '../domain/metrics.ts';
import type { Announcement } from './announcements.ts';
import type { ReadOperation, WriteOperation } from './operation.ts';
import type { Store } from './store.ts';

/** What the stores of both engines do alike: listeners hear of writes and announcements, and closing happens once. */
export abstract class StoreBase implements Store {
  readonly #writeListeners: (() => void)[] = [];
  readonly #announcementListeners: ((announcement: Announcement) => void)[] = [];
  #closing: Promise<void> | undefined;

  abstract read<Input, Output>(operation: ReadOperation<Input, Output>, input: Input): Promise<Output>;
  abstract ping(): Promise<void>;
  abstract readings(): readonly Reading[];
  abstract measure(): Promise<readonly Reading[]>;
  /** Does the work of `write`, without telling anybody. */
  protected abstract run<Input, Output>(
    operation: WriteOperation<Input, Output>,
    input: Input,
  ): Promise<Output>;
  /** Does the work of `close`. Called once. */
  protected abstract finish(): Promise<void>;

  async write<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    try {
      return await this.run(operation, input);
    } finally {
      // Work in the background leaves no work behind.
      if (!operation.isBackground) for (const listener of this.#writeListeners) listener();
    }
  }

  onWrite(listener: () => void): void {
    this.#writeListeners.push(listener);
  }

  onAnnouncement(listener: (announcement: Announcement) => void): void {
    this.#announcementListeners.push(listener);
  }

  /** Tells those of this process who listen. */
  protected tell(announcements: readonly Announcement[]): void {
    for (const each of announcements) for (const listener of this.#announcementListeners) listener(each);
  }

  close(): Promise<void> {
    this.#closing ??= this.finish();
    return this.#closing;
  }
}
