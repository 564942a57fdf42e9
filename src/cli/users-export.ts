import { type FileHandle, open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../config.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { hasCode, reasonOf } from '../domain/reason.ts';
import { beginTransfer, tellTransferred } from '../services/audit/transfer.ts';
import type { Store } from '../store/store.ts';
import { exportAccounts } from '../transfer/accounts/export.ts';
import { writeAccount } from '../transfer/accounts/line-contract.ts';
import { interruption } from './interruption.ts';
import { withStore } from './with-store.ts';

/** Accounts that one read takes. */
const PAGE = 500;

/**
 * Writes all accounts into a new file with mode 0600, or to standard output ("-"). Messages are on standard error. A
 * server may run meanwhile.
 */
export async function exportUsers(config: Config, file: string): Promise<void> {
  const say = process.stderr;
  await withStore(
    config,
    async (store) => {
      const handle = file === '-' ? undefined : await make(file);
      try {
        const accounts = await writeAll(store, handle);
        say.write(`${accounts} accounts were exported.\n`);
      } catch (error) {
        if (handle) await rm(file);
        throw interruption(error, (reason) => `The export was not finished: ${reason}.`);
      }
    },
    say,
  );
}

/** Returns the number of accounts. The event of the export is stored before the first account leaves the database. */
async function writeAll(store: Store, handle: FileHandle | undefined): Promise<number> {
  const now = Date.now();
  const id = await store.write(beginTransfer, { event: 'accounts_exported', at: now });
  let accounts = 0;
  async function* pages() {
    for (let after = 0; ; ) {
      const page = await store.read(exportAccounts, { after, limit: PAGE, now });
      const last = page.at(-1);
      if (!last) return;
      yield page.map(writeAccount).join('');
      accounts += page.length;
      after = last.id;
    }
  }
  if (handle) await pipeline(pages, handle.createWriteStream({ flush: true }));
  else await pipeline(pages, process.stdout, { end: false });
  await store.write(tellTransferred, { id, accounts });
  return accounts;
}

async function make(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'wx', 0o600);
  } catch (error) {
    throw new OperatorError(
      hasCode(error, 'EEXIST')
        ? `The file ${file} exists already; name another one, or remove it.`
        : `The file ${file} cannot be made: ${reasonOf(error)}.`,
    );
  }
}
