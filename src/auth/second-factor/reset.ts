import { findByLogin } from '../../accounts/find.ts';
import { notFound } from '../../domain/failure.ts';
import { recordEvent } from '../../services/audit/record.ts';
import { writeOperation } from '../../store/operation.ts';
import { factorsOf, removeFactors } from '../factors.ts';

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
    const kinds = await factorsOf(db, userId);
    await removeFactors(db, userId);
    const detail = { removed: kinds.join(', ') };
    await recordEvent(db, {
      event: 'second_factors_reset',
      at: now,
      origin: null,
      accountId: userId,
      detail,
    });
  },
);
