import { findByLogin } from '../../accounts/find.ts';
import { notFound } from '../../domain/failure.ts';
import { writeOperation } from '../../store/operation.ts';
import { resetFactors } from '../factors.ts';

/** Removes all second factors of an account, as an operator asks for whoever lost them. Fails with `not_found`. */
export const resetSecondFactors = writeOperation(
  'auth.reset_second_factors',
  async (db, { account, now }: { account: string; now: number }): Promise<void> => {
    const found = await findByLogin(db, account);
    if (!found) throw notFound('account');
    const userId = found.id;
    const locked = await db
      .selectFrom('users')
      .select('second_factor')
      .where('id', '=', userId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (locked?.second_factor !== 1) return;
    await resetFactors(db, { userId, since: 0, now, origin: null });
  },
);
