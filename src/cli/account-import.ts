import { setTimeout as pause } from 'node:timers/promises';
import { BadLine, readAccount } from '../auth/account-line-contract.ts';
import { type Imported, importAccounts } from '../auth/import.ts';
import type { PortableAccount } from '../auth/portable-account.ts';
import { foldKey } from '../domain/text.ts';
import type { Store } from '../store/store.ts';
import type { Line } from './lines.ts';

/** Accounts of one write: some milliseconds of work, so that other writes hardly wait. */
const BATCH = 100;

/** A line that waits for its write: an account, or the reason why it is none. */
interface Waiting {
  readonly number: number;
  readonly account: PortableAccount | undefined;
  readonly refusal: string;
}

export interface AccountImportOptions {
  /** The event of the import. */
  readonly eventId: number;
  /** True where one process at a time can write: on SQLite. */
  readonly rests: boolean;
  readonly tell: (line: number, refusal: string) => void;
}

/** Brings accounts in, line by line, in writes of BATCH accounts. Refusals are told in the order of the lines. */
export class AccountImport {
  readonly #store: Store;
  readonly #options: AccountImportOptions;
  #waiting: Waiting[] = [];
  /** Folded names and addresses of the accounts that wait. */
  readonly #keys = new Set<string>();
  readonly #counts = { made: 0, there: 0, refused: 0 };

  constructor(store: Store, options: AccountImportOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** An empty line is nothing. */
  async add({ number, bytes }: Line): Promise<void> {
    if (bytes && isBlank(bytes)) return;
    const line = { number, ...read(bytes) };
    const keys = line.account ? [foldKey(line.account.username), foldKey(line.account.email)] : [];
    // What two lines have in common is decided by the first of them, so the second comes in a later write.
    if (keys.some((key) => this.#keys.has(key))) await this.#write();
    for (const key of keys) this.#keys.add(key);
    if (this.#waiting.push(line) === BATCH) await this.#write();
  }

  async finish(): Promise<{ readonly made: number; readonly there: number; readonly refused: number }> {
    await this.#write();
    return this.#counts;
  }

  async #write(): Promise<void> {
    const [lines, began] = [this.#waiting, performance.now()];
    this.#waiting = [];
    this.#keys.clear();
    const accounts = lines.flatMap(({ account }) => account ?? []);
    const { eventId } = this.#options;
    const batch = { accounts, eventId, before: this.#counts.made, now: Date.now() };
    const results = accounts.length > 0 ? await this.#store.write(importAccounts, batch) : [];
    let next = 0;
    for (const { number, account, refusal } of lines) {
      this.#count(number, (account && results[next++]) ?? { refusal });
    }
    // As long as the write took, so that a server that waits to write comes in between.
    if (this.#options.rests) await pause(performance.now() - began);
  }

  #count(number: number, result: Imported): void {
    if (result === 'new') this.#counts.made++;
    else if (result === 'there already') this.#counts.there++;
    else {
      this.#counts.refused++;
      this.#options.tell(number, result.refusal);
    }
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.toString('latin1').trim() === '';
}

function read(bytes: Buffer | undefined): Omit<Waiting, 'number'> {
  if (!bytes) return { account: undefined, refusal: 'The line is longer than 16 KiB.' };
  try {
    return { account: readAccount(bytes, Date.now()), refusal: '' };
  } catch (error) {
    if (error instanceof BadLine) return { account: undefined, refusal: error.message };
    throw error;
  }
}
