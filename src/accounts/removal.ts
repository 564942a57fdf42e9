import type { Job } from '../domain/jobs.ts';
import { MINUTE_MS } from '../domain/time.ts';
import { recordEvent } from '../services/audit/record.ts';
import { removeMailsTo } from '../services/mail/outbox.ts';
import type { PersonalData, Removal } from '../services/personal-data.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import { releaseSkeleton } from './claim-name.ts';

/** The account that has waited longest for its removal. */
export const nextDue = readOperation('accounts.next_due', (db, now: number) =>
  db
    .selectFrom('users')
    .select('id')
    .where('closes_at', '<=', now)
    .orderBy('closes_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst(),
);

/** The point of no return. Returns undefined if the account was restored first. */
export const beginRemoval = writeOperation(
  'accounts.begin_removal',
  async (db, { id, now }: { id: number; now: number }): Promise<Removal | undefined> => {
    const begun = await db
      .updateTable('users')
      .set({ closes_at: 0 })
      .where('id', '=', id)
      .where('closes_at', '<=', now)
      .returning('closing_content')
      .executeTakeFirst();
    return begun && { userId: id, content: begun.closing_content ?? 'keep', now };
  },
  { isBackground: true },
);

/** Removes what is left of an account, when the features have removed their parts. */
export const finishRemoval = writeOperation(
  'accounts.finish_removal',
  async (db, { userId: id, now }: Removal, engine): Promise<void> => {
    await engine.lock(db, 'removing accounts');
    const account = await db
      .selectFrom('users')
      .select(['id', 'username', 'email'])
      .where('id', '=', id)
      .where('closes_at', '=', 0)
      .forUpdate()
      .executeTakeFirst();
    if (!account) return;
    await removeMailsTo(db, account.email);
    const names = db.deleteFrom('reserved_names').where('user_id', '=', id);
    const reserved = await names.returning('username').execute();
    for (const { username } of [account, ...reserved]) await releaseSkeleton(db, { id, username });
    await db.deleteFrom('users').where('id', '=', id).execute();
    await recordEvent(db, { event: 'account_removed', at: now, origin: null, accountId: id });
  },
  { isBackground: true },
);

/**
 * Removes the accounts whose time is over, a part at a time. A process that dies leaves the account closed, with fewer
 * parts, and the next run goes on: each part is removed again until there is none.
 */
export function removalJob(store: Store, personalData: readonly PersonalData[], clock: () => number): Job {
  const removals = personalData.flatMap((each) => each.removals);
  const run = async (): Promise<boolean> => {
    const now = clock();
    const due = await store.read(nextDue, now);
    const removal = due && (await store.write(beginRemoval, { ...due, now }));
    if (!removal) return false;
    for (const remove of removals) if (await store.write(remove, removal)) return true;
    await store.write(finishRemoval, removal);
    return true;
  };
  return { name: 'removing closed accounts', every: MINUTE_MS, run };
}
