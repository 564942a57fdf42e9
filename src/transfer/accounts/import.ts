import { claimName } from '../../accounts/claim-name.ts';
import { rowOfAccount } from '../../accounts/create.ts';
import { refusedNames } from '../../accounts/refused-names.ts';
import { Failure } from '../../domain/failure.ts';
import { isOutdated } from '../../passwords/hashing/parameters.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { tellTransferred } from '../../services/audit/transfer.ts';
import { writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import type { PortableAccount } from './portable-account.ts';

/** The result for one account: it is new, it exists already, or it was refused for this reason. */
export type Imported = 'new' | 'there already' | { readonly refusal: string };

interface Batch {
  /** No two of them share a name, in any spelling. Of two that share an address, the second is refused. */
  readonly accounts: readonly PortableAccount[];
  /** The event of the import, and how many accounts the import has made before. */
  readonly eventId: number;
  readonly before: number;
  readonly now: number;
}

/** Imports accounts. One that breaks a rule is refused, and the others are imported. */
export const importAccounts = writeOperation(
  'transfer.import_accounts',
  async (db, { accounts, eventId, before, now }: Batch, engine): Promise<Imported[]> => {
    const rows = accounts.map((account) => rowOf(account, now));
    const refused = await refusedBefore(db, rows);
    const ids = await insertThoseThatAreFree(
      db,
      rows.filter((row) => !refused.has(row)),
    );
    const late = rows.filter((row) => !refused.has(row) && !ids.has(row.username_key));
    const holders = await holdersOf(db, late);
    const results: Imported[] = [];
    // One after another, because no statement may follow a failed one.
    for (const row of rows) {
      const id = ids.get(row.username_key);
      results.push(
        id === undefined
          ? (refused.get(row) ?? whyNot(row, holders))
          : await complete(db, { ...row, id }, now),
      );
    }
    const count = results.filter((result) => result === 'new').length;
    if (count > 0) await tellTransferred.run(db, { id: eventId, accounts: before + count }, engine);
    return results;
  },
);

type Row = ReturnType<typeof rowOf>;

function rowOf(account: PortableAccount, now: number) {
  const emailVerifiedAt = account.isEmailVerified ? now : null;
  const row = rowOfAccount({ ...account, emailVerifiedAt, now: account.createdAt });
  return { ...row, disabled_at: account.isDisabled ? now : null };
}

/**
 * The rows that cannot become accounts, with their results. They are found before anything is inserted: an account that is
 * deleted again would be reported as created and removed, to webhooks and live events.
 */
async function refusedBefore(db: Db, rows: readonly Row[]): Promise<ReadonlyMap<Row, Imported>> {
  const holders = await holdersOf(db, rows);
  const refused = new Map<Row, Imported>();
  for (const row of rows) if (isHeld(row, holders)) refused.set(row, whyNot(row, holders));
  const rest = rows.filter((row) => !refused.has(row));
  const names = await refusedNames(
    db,
    rest.map(({ username }) => username),
  );
  for (const row of rest) {
    const failure = names.get(row.username);
    if (failure) refused.set(row, { refusal: failure.message });
  }
  return refused;
}

/**
 * The ids of the new accounts, by their folded names. A row whose name or address another write has just taken, or an
 * earlier row, is skipped, because an error would end the transaction on PostgreSQL.
 */
async function insertThoseThatAreFree(db: Db, rows: readonly Row[]): Promise<ReadonlyMap<string, number>> {
  if (rows.length === 0) return new Map();
  const made = await db
    .insertInto('users')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'username_key'])
    .execute();
  return new Map(made.map(({ id, username_key }) => [username_key, id]));
}

/** Claims the name. If another write was first to reserve it or one that looks like it, the account is deleted again. */
async function complete(db: Db, user: Row & { readonly id: number }, now: number): Promise<Imported> {
  try {
    await claimName(db, user);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await db.deleteFrom('users').where('id', '=', user.id).execute();
    return { refusal: error.message };
  }
  if (user.role === 'admin') {
    await recordEvent(db, { event: 'admin_created', at: now, origin: null, accountId: user.id });
  }
  return 'new';
}

type Holder = Pick<Row, 'username_key' | 'email_key' | 'password_hash'>;

async function holdersOf(db: Db, rows: readonly Row[]): Promise<readonly Holder[]> {
  if (rows.length === 0) return [];
  const names = rows.map(({ username_key }) => username_key);
  const addresses = rows.map(({ email_key }) => email_key);
  return db
    .selectFrom('users')
    .select(['username_key', 'email_key', 'password_hash'])
    .where((eb) => eb.or([eb('username_key', 'in', names), eb('email_key', 'in', addresses)]))
    .execute();
}

/** May the hash be of the password that the line has? The first sign-in replaces a hash that was brought by one of ours. */
function isOfPassword(hash: string, brought: string): boolean {
  return hash === brought || (isOutdated(brought) && !isOutdated(hash));
}

function isHeld(row: Row, holders: readonly Holder[]): boolean {
  return holders.some((each) => each.username_key === row.username_key || each.email_key === row.email_key);
}

/** Why the account cannot be new: it exists already, or another account has its name or its address. */
function whyNot(row: Row, holders: readonly Holder[]): Imported {
  const ofName = holders.find(({ username_key }) => username_key === row.username_key);
  const isSame = ofName?.email_key === row.email_key;
  if (isSame && isOfPassword(ofName.password_hash, row.password_hash)) return 'there already';
  if (isSame) return { refusal: 'This account is there already with another password; it stays as it is.' };
  return { refusal: `Another account has this ${ofName ? 'user name' : 'e-mail address'}.` };
}
