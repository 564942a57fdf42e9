import { readConfig } from '../../src/config.ts';
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
