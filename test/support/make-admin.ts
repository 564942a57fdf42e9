import { setRole } from '../../src/accounts/administer.ts';
import { readConfig } from '../../src/config.ts';
import type { Role } from '../../src/domain/account.ts';
import { openExistingStore } from '../../src/open-store.ts';
import { register } from '../../src/registrations/register.ts';
import { PASSWORD } from './client.ts';
import { cheapHashing } from './service.ts';

/** Makes an admin in the database of these settings as `stoa admin create` does, in a tenth of its time. */
export async function makeAdmin(settings: Record<string, string>, username: string): Promise<void> {
  const { database, passwordBlocklist } = readConfig(settings);
  const store = await openExistingStore(database);
  try {
    const account = { username, email: `${username}@example.org`, password: PASSWORD };
    const parts = { store, hashing: cheapHashing, clock: Date.now, passwordBlocklist };
    await register(parts, account, null, 'admin');
  } finally {
    await store.close();
  }
}

/** Gives accounts a role in the database of these settings as `stoa admin role` does, in a tenth of its time. */
export async function giveRole(
  settings: Record<string, string>,
  role: Role,
  ...accounts: readonly { readonly username: string }[]
): Promise<void> {
  const store = await openExistingStore(readConfig(settings).database);
  try {
    for (const { username } of accounts)
      await store.write(setRole, { account: username, role, now: Date.now() });
  } finally {
    await store.close();
  }
}
