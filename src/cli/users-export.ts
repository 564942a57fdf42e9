import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { beginTransfer, tellTransferred } from '../services/audit/transfer.ts';
import type { Store } from '../store/store.ts';
import { exportAccounts } from '../transfer/accounts/export.ts';
import { writeAccount } from '../transfer/accounts/line-contract.ts';
import { interruption } from './interruption.ts';
import { toNewFile } from './new-file.ts';
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
      try {
        const accounts = await toNewFile(file === '-' ? undefined : file, (write) => writeAll(store, write));
        // npm runs commands in the folder of the service, wherever they were typed.
        say.write(`${accounts} accounts were exported${file === '-' ? '' : ` to ${resolve(file)}`}.\n`);
      } catch (error) {
        throw interruption(error, (reason) => `The export was not finished: ${reason}.`);
      }
    },
    say,
  );
}

/** Returns the number of accounts. The event of the export is stored before the first account leaves the database. */
async function writeAll(
  store: Store,
  write: (pages: AsyncIterable<string>) => Promise<void>,
): Promise<number> {
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
  await write(pages());
  await store.write(tellTransferred, { id, accounts });
  return accounts;
}
