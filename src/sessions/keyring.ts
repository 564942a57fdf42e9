import { unavailable } from '../domain/failure.ts';
import type { Sealing } from '../services/sealing/sealing.ts';
import type { Store } from '../store/store.ts';
import { parseKey, type SigningKey } from './keys.ts';
import { listSigningKeys } from './signing-keys.ts';

/** Anybody can invent key ids. Unknown ones cause at most one read in this time. */
const LOOKUP_MS = 250;

/** The signing keys of the service, as they were when the database was last read. */
export class Keyring {
  readonly #store: Store;
  readonly #sealing: Sealing;
  #keys: readonly SigningKey[] = [];
  #lookup: Promise<void> | undefined;
  #reading = Promise.resolve();
  #readAt = 0;

  private constructor(store: Store, sealing: Sealing) {
    this.#store = store;
    this.#sealing = sealing;
  }

  /** Reads the keys, of which there must be one. */
  static async open(store: Store, sealing: Sealing): Promise<Keyring> {
    const keyring = new Keyring(store, sealing);
    await keyring.reload();
    return keyring;
  }

  /** All keys whose tokens may live, oldest first. */
  get keys(): readonly SigningKey[] {
    return this.#keys;
  }

  /** The key that signs: the newest. Fails with `unavailable` where this process can open none of the stored keys. */
  get current(): SigningKey {
    const newest = this.#keys.at(-1);
    if (!newest) throw unavailable(new Error('this process can open no signing key; restart it'));
    return newest;
  }

  /** The key with this id. An unknown key may be newer than the last read, so the answer waits for the next, shared read. */
  async find(kid: string): Promise<SigningKey | undefined> {
    const known = this.#known(kid);
    if (known) return known;
    this.#lookup ??= this.#lookUp().finally(() => {
      this.#lookup = undefined;
    });
    await this.#lookup;
    return this.#known(kid);
  }

  /** Is the key with this id still ours, as far as we know now? */
  has(kid: string): boolean {
    return this.#known(kid) !== undefined;
  }

  /** Reads the keys again. One read after another, so that an older one never hides what a newer one found. */
  reload(): Promise<void> {
    const read = this.#reading.then(() => this.#read());
    this.#reading = read.catch(() => {});
    return read;
  }

  #known(kid: string): SigningKey | undefined {
    return this.#keys.find((key) => key.kid === kid);
  }

  async #lookUp(): Promise<void> {
    const wait = this.#readAt + LOOKUP_MS - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    await this.reload();
  }

  async #read(): Promise<void> {
    this.#readAt = performance.now();
    const stored = await this.#store.read(listSigningKeys, null);
    const opened = await Promise.allSettled(
      stored.map(async (key) => this.#known(key.kid) ?? (await parseKey(this.#sealing, key))),
    );
    // A removed key is dropped also where another key cannot be opened: its tokens may be a thief's.
    this.#keys = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const failed = opened.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  }
}
