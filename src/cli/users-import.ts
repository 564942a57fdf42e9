import { once } from 'node:events';
import { createReadStream, fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Config } from '../config.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { reasonOf } from '../domain/reason.ts';
import { beginTransfer } from '../services/audit/transfer.ts';
import type { Store } from '../store/store.ts';
import { AccountImport } from './account-import.ts';
import { interruption } from './interruption.ts';
import { linesOf } from './lines.ts';
import { ProgressBar } from './progress-bar.ts';
import { withStore } from './with-store.ts';

const MOST_LINE_BYTES = 16 * 1024;

/**
 * Makes accounts of the lines of a file, or of standard input ("-"). Works beside a running server too. Tells each line
 * that is refused and why, and ends with the exit code 1 where there is one.
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
        (reason) => `The import was interrupted: ${reason}. Run it again and it goes on.`,
      );
    }
  });
}

async function importLines(
  store: Store,
  input: Readable,
  progress: ProgressBar,
  rests: boolean,
): Promise<void> {
  const eventId = await store.write(beginTransfer, { event: 'accounts_imported', at: Date.now() });
  const tell = (number: number, refusal: string) => {
    progress.hide();
    process.stdout.write(`Line ${number}: ${refusal}\n`);
  };
  const running = new AccountImport(store, { eventId, rests, tell });
  for await (const line of linesOf(input, MOST_LINE_BYTES)) {
    await running.add(line);
    progress.reach(line.end);
  }
  const { made, there, refused } = await running.finish();
  progress.end();
  process.stdout.write(
    `${made} accounts were imported, ${there} were there already, ${refused} lines were refused.\n`,
  );
  if (refused > 0) process.exitCode = 1;
}

/** `bytes` is 0 where nobody knows. */
async function openInput(file: string): Promise<{ input: Readable; bytes: number }> {
  if (file === '-') return { input: process.stdin, bytes: 0 };
  const input = createReadStream(file);
  try {
    const [descriptor] = await once(input, 'open');
    return { input, bytes: fstatSync(descriptor).size };
  } catch (error) {
    throw new OperatorError(`The file ${file} cannot be read: ${reasonOf(error)}.`);
  }
}
