import { once } from 'node:events';
import { createReadStream, fstatSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { reasonOf } from '../domain/reason.ts';
import { foldKey } from '../domain/text.ts';
import { beginTransfer } from '../services/audit/transfer.ts';
import type { Store } from '../store/store.ts';
import { type Imported, importAccounts } from '../transfer/accounts/import.ts';
import { BadLine, readAccount } from '../transfer/accounts/line-contract.ts';
import type { PortableAccount } from '../transfer/accounts/portable-account.ts';
import { linesOf } from '../transfer/lines.ts';
import { interruption } from './interruption.ts';
import { ProgressBar } from './progress-bar.ts';
import { withStore } from './with-store.ts';

const MOST_LINE_BYTES = 16 * 1024;
/** Accounts of one write, which takes some milliseconds, so that other writes hardly wait. */
const BATCH = 100;

/** A line that waits for its write: an account, or the reason why it was refused. */
interface Waiting {
  readonly number: number;
  readonly account: PortableAccount | undefined;
  readonly refusal: string;
}

/**
 * Makes accounts from the lines of a file, or of standard input ("-"). A server may run meanwhile. Reports each refused
 * line with the reason, and ends with the exit code 1 if there is one.
 */
export async function importUsers(config: Config, file: string): Promise<void> {
  const { input, bytes } = await openInput(file);
  await withStore(config, async (store) => {
    const progress = new ProgressBar(process.stderr);
    progress.begin(bytes > 0 ? 'importing accounts, bytes' : 'importing accounts', bytes);
    try {
      await importLines(store, input, progress, config.database.kind === 'sqlite');
    } catch (error) {
      progress.end();
      // What was committed stays.
      throw interruption(
        error,
        (reason) => `The import was interrupted: ${reason}. Run it again to continue.`,
      );
    }
  });
}

/**
 * Imports accounts line by line, in writes of BATCH accounts. Refusals are reported in the order of the lines. `rests` is
 * true on SQLite, where only one process can write at a time.
 */
async function importLines(
  store: Store,
  input: Readable,
  progress: ProgressBar,
  rests: boolean,
): Promise<void> {
  const eventId = await store.write(beginTransfer, { event: 'accounts_imported', at: Date.now() });
  const counts = { made: 0, there: 0, refused: 0 };
  let waiting: Waiting[] = [];
  /** Folded names of the accounts that wait for their write. */
  const waitingNames = new Set<string>();

  async function write(): Promise<void> {
    const [lines, began] = [waiting, performance.now()];
    waiting = [];
    waitingNames.clear();
    const accounts = lines.flatMap(({ account }) => account ?? []);
    const batch = { accounts, eventId, before: counts.made, now: Date.now() };
    const results = accounts.length > 0 ? await store.write(importAccounts, batch) : [];
    let next = 0;
    for (const { number, account, refusal } of lines)
      note(number, (account && results[next++]) ?? { refusal });
    // A pause as long as the write took, so that a waiting server can write.
    if (rests) await pause(performance.now() - began);
  }

  function note(number: number, result: Imported): void {
    if (result === 'new') counts.made++;
    else if (result === 'there already') counts.there++;
    else {
      counts.refused++;
      progress.hide();
      process.stdout.write(`Line ${number}: ${result.refusal}\n`);
    }
  }

  for await (const { number, bytes, end } of linesOf(input, MOST_LINE_BYTES)) {
    if (bytes?.toString('latin1').trim() === '') continue;
    const line = { number, ...read(bytes) };
    if (line.account) {
      const name = foldKey(line.account.username);
      // A write tells its accounts apart by their names, so the second line of a name needs a later write.
      if (waitingNames.has(name)) await write();
      waitingNames.add(name);
    }
    if (waiting.push(line) === BATCH) await write();
    progress.reach(end);
  }
  await write();
  progress.end();
  process.stdout.write(
    `${counts.made} accounts were imported, ${counts.there} were there already, ${counts.refused} lines were refused.\n`,
  );
  if (counts.refused > 0) process.exitCode = 1;
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

/** `bytes` is 0 where the size is unknown. */
async function openInput(file: string): Promise<{ input: Readable; bytes: number }> {
  if (file === '-') return { input: process.stdin, bytes: 0 };
  const input = createReadStream(file);
  try {
    const [descriptor] = await once(input, 'open');
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) throw new Error('it is a folder');
    return { input, bytes: stats.size };
  } catch (error) {
    throw new OperatorError(`The file ${resolve(file)} cannot be read: ${reasonOf(error)}.`);
  }
}
