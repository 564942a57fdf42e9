import { claimSkeleton } from '../accounts/claim-skeleton.ts';
import { Failure } from '../domain/failure.ts';
import { recordEvent } from '../services/audit/record.ts';
import { tellTransferred } from '../services/audit/transfer.ts';
import { writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { PortableAccount } from './portable-account.ts';
import { rowOfAccount } from './register.ts';

/** What became of an account: it is new, it was there already, or it was refused for this reason. */
export type Imported = 'new' | 'there already' | { readonly refusal: string };

interface Batch {
  /** No two of them have the name or the address of the other, in any spelling. */
  readonly accounts: readonly PortableAccount[];
  /** The event of the import, and how many accounts the import has brought before. */
  readonly eventId: number;
  readonly before: number;
  readonly now: number;
}

/** Brings accounts in. Those that break a rule are refused one by one, and the others stay. */
export const importAccounts = writeOperation(
  'auth.import_accounts',
  async (db, { accounts, eventId, before, now }: Batch, engine): Promise<Imported[]> => {
    // Asked for together, so that each step of all accounts is one round trip on PostgreSQL.
    const results = await Promise.all(accounts.map((account) => importOne(db, account, now)));
    const count = results.filter((result) => result === 'new').length;
    if (count > 0) await tellTransferred.run(db, { id: eventId, accounts: before + count }, engine);
    return results;
  },
);

type Row = ReturnType<typeof rowOfAccount>;

async function importOne(db: Db, account: PortableAccount, now: number): Promise<Imported> {
  const row = rowOfAccount({ ...account, now: account.createdAt });
  // No row comes back where the name or the address is taken. An error would end the transaction on PostgreSQL.
  const user = await db
    .insertInto('users')
    .values({ ...row, disabled_at: account.isDisabled ? now : null })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'username'])
    .executeTakeFirst();
  if (!user) return whoHas(db, row);
  try {
    await claimSkeleton(db, user);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await db.deleteFrom('users').where('id', '=', user.id).execute();
    return { refusal: error.message };
  }
  if (account.role === 'admin') {
    await recordEvent(db, { event: 'admin_created', at: now, origin: null, accountId: user.id });
  }
  return 'new';
}

/** Why the account cannot be new: it is there already, or somebody has its name or its address. */
async function whoHas(db: Db, row: Row): Promise<Imported> {
  const found = await db
    .selectFrom('users')
    .select(['username_key', 'email_key', 'password_hash'])
    .where((eb) => eb.or([eb('username_key', '=', row.username_key), eb('email_key', '=', row.email_key)]))
    .execute();
  const same = found.find(
    (each) => each.username_key === row.username_key && each.email_key === row.email_key,
  );
  if (same?.password_hash === row.password_hash) return 'there already';
  if (same) return { refusal: 'This account is there already with another password; it stays as it is.' };
  const hasName = found.some((each) => each.username_key === row.username_key);
  return { refusal: `Another account has this ${hasName ? 'user name' : 'e-mail address'}.` };
}
