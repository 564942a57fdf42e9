import { hasAdmin } from '../accounts/admins.ts';
import { ROW_LIMITS } from '../domain/limits.ts';
import { DAY_MS } from '../domain/time.ts';
import { newToken } from '../services/links/token.ts';
import { writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';

/** Recognisable to scanners that look for leaked secrets. */
const PREFIX = 'stoa_su_';
const LIFE_MS = DAY_MS;

interface NewLink {
  readonly tokenHash: string;
  readonly now: number;
}

/** Keeps a link, and ends the oldest beyond the most. False where there is an admin already: nothing is kept then. */
export const keepSetupLink = writeOperation(
  'setup.keep_link',
  async (db, { tokenHash, now }: NewLink, engine): Promise<boolean> => {
    if (await hasAdmin.run(db, null, engine)) return false;
    const newest = db
      .selectFrom('setup_links')
      .select('token_hash')
      .orderBy('expires_at', 'desc')
      .orderBy('token_hash')
      .limit(ROW_LIMITS.setupLinks - 1);
    await db.deleteFrom('setup_links').where('token_hash', 'not in', newest).execute();
    const row = { token_hash: tokenHash, expires_at: now + LIFE_MS };
    await db.insertInto('setup_links').values(row).execute();
    return true;
  },
);

/**
 * A new link to the console that makes the first admin: it works once, within a day. Undefined where there is an admin
 * already. `base` is the address of the service, without a slash at its end.
 */
export async function newSetupLink(store: Store, base: string, now: number): Promise<string | undefined> {
  if (await store.read(hasAdmin, null)) return undefined;
  const { token, tokenHash } = newToken(PREFIX);
  if (!(await store.write(keepSetupLink, { tokenHash, now }))) return undefined;
  return `${base}/console/#setup=${token}`;
}
