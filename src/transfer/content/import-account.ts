import { DELETED_ACCOUNT } from '../../accounts/deleted-account.ts';
import { findByLogin } from '../../accounts/find.ts';
import type { Db } from '../../store/tables.ts';

/** Undefined where nobody has the name. That of "deleted account" is no name that anybody can have. */
export async function accountIdOf(db: Db, login: string, now: number): Promise<number | undefined> {
  const account = await findByLogin(db, login);
  const isGone = account?.closes_at != null && account.closes_at <= now;
  return account?.username === DELETED_ACCOUNT || isGone ? undefined : account?.id;
}

export function noAccount(login: string): string {
  return `There is no account ${JSON.stringify(login)}; name another one with --author.`;
}
