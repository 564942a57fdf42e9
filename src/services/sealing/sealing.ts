import { typedStart } from '../../domain/installation.ts';
import type { Notice } from '../../domain/notice.ts';
import { OperatorError } from '../../domain/operator-error.ts';
import type { Store } from '../../store/store.ts';
import { makeKeyFile, readKeyFile, replaceKeyFile } from './key-file.ts';
import { type Place, seal, unseal } from './seal.ts';
import { hasUnsealed, resealAll, sealUnsealed, unreadable } from './sealed-columns.ts';
import { CHECK, findSecret, keepCheck, placeOfSecret } from './secrets.ts';
import type { SealedColumn } from './tables.ts';

/** The text whose sealed form identifies the key. */
const CHECK_TEXT = 'stoa';

/** Where the key of a service is. */
export interface KeyPlace {
  /** The key of a setting. Undefined if it is in the file. */
  readonly given: Uint8Array | undefined;
  /** Our own key file. */
  readonly file: string;
  /** The name of the database, for messages. */
  readonly name: string;
  readonly notice: Notice;
}

interface SealingPlace extends KeyPlace {
  readonly columns: readonly SealedColumn[];
  /** True if a first key may be made. */
  readonly mayMake: boolean;
}

/**
 * Seals and opens texts under the key of the service, which is not in the database
 * (docs/decisions/audit-and-sealing.md).
 */
export class Sealing {
  readonly #key: Uint8Array;
  readonly #columns: readonly SealedColumn[];
  /** Identifies the key. A write that stores a sealed text gives this to `isSealedUnder`. */
  readonly check: string;

  constructor(key: Uint8Array, check: string, columns: readonly SealedColumn[]) {
    this.#key = key;
    this.#columns = columns;
    this.check = check;
  }

  seal(place: Place, text: string): string {
    return seal(this.#key, place, text);
  }

  /** Fails with OperatorError if the text is not as it was sealed here. */
  unseal(place: Place, text: string): string {
    const opened = unseal(this.#key, place, text);
    if (opened === undefined) throw unreadable(place);
    return opened;
  }

  isUnder(key: Uint8Array): boolean {
    return opens(key, this.check);
  }

  /** Seals unsealed texts, as a version before sealing left them. */
  async sealUnsealed(store: Store): Promise<void> {
    const columns = this.#columns.filter(({ wasClear }) => wasClear);
    if (!(await store.read(hasUnsealed, columns))) return;
    const input = { columns, key: this.#key, sealedUnder: this.check };
    if (!(await store.write(sealUnsealed, input))) throw keyChanged();
  }

  /** Seals everything under another key, in one write. After that this object is useless. `now` is in ms since 1970. */
  async reseal(store: Store, to: Uint8Array, now: number): Promise<void> {
    const input = { columns: this.#columns, from: this.#key, to, sealedUnder: this.check, now };
    if (!(await store.write(resealAll, input))) throw keyChanged();
  }
}

/**
 * The key under which the database is sealed. The first process that serves a database chooses it. Fails with
 * OperatorError, without a change, if the key is missing or does not fit.
 */
export async function openSealing(store: Store, at: SealingPlace): Promise<Sealing> {
  const check = await store.read(findSecret, CHECK);
  if (check === null) {
    const key = at.given ?? firstKey(at);
    await store.write(keepCheck, seal(key, placeOfSecret(CHECK), CHECK_TEXT));
    // Another process with another key may have been first.
    return openSealing(store, at);
  }
  const sealing = new Sealing(keyOf(at, check), check, at.columns);
  await sealing.sealUnsealed(store);
  return sealing;
}

/** Where `stoa keys reseal` stores the next key until everything is sealed under it. */
export function nextKeyFile(file: string): string {
  return `${file}.next`;
}

export function keyChanged(): OperatorError {
  return new OperatorError(
    'The sealing key was changed by another command or instance meanwhile; nothing was changed here. Run this again.',
  );
}

function firstKey({ file, mayMake, name, notice }: SealingPlace): Uint8Array {
  if (mayMake) return makeKeyFile(file, notice);
  const key = readKeyFile(file, notice);
  if (key) return key;
  throw new OperatorError(
    `The database ${name} has no sealing key yet, and commands make none; start the service once (${typedStart()}), or set SEALING_KEY.`,
  );
}

/** The key that opens the check: the given one, or that of our file. Fails with OperatorError where neither does. */
export function keyOf({ given, file, name, notice }: KeyPlace, check: string): Uint8Array {
  if (given) {
    if (opens(given, check)) return given;
    throw otherKey(name, 'SEALING_KEY or SEALING_KEY_FILE');
  }
  const key = readKeyFile(file, notice);
  if (key && opens(key, check)) return key;
  // `stoa keys reseal` was killed after its commit, before the new file replaced the old one.
  const next = readKeyFile(nextKeyFile(file), notice);
  if (next && opens(next, check)) {
    replaceKeyFile(nextKeyFile(file), file);
    return next;
  }
  if (key) throw otherKey(name, file);
  throw new OperatorError(
    `The database ${name} is sealed, and there is no key at ${file}; put the key file of this database there (another instance or your backup of keys has it), or set SEALING_KEY to the key.`,
  );
}

function otherKey(name: string, where: string): OperatorError {
  return new OperatorError(
    `The database ${name} is sealed under another key than that of ${where}; put the key file of this database there (the instance that was started first, or your backup of keys, has it), or set SEALING_KEY to the key.`,
  );
}

/** True if the check (secrets.ts) was sealed under this key. */
export function opens(key: Uint8Array, check: string): boolean {
  return unseal(key, placeOfSecret(CHECK), check) === CHECK_TEXT;
}
