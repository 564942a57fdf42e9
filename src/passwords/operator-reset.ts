import { findByLogin } from '../accounts/find.ts';
import { lockAccount } from '../accounts/lock-account.ts';
import { notFound } from '../domain/failure.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { foldKey } from '../domain/text.ts';
import { recordEvent } from '../services/audit/record.ts';
import { keepLink } from '../services/links/links.ts';
import { OPERATOR_LINK } from '../services/links/purposes.ts';
import { endSessions } from '../sessions/end.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { completeNewPassword } from './new-password.ts';

/** The account that an operator names, by user name or e-mail address. Fails with `not_found`. */
export const findForReset = readOperation('passwords.find_for_reset', async (db, login: string) => {
  const { id } = await named(db, login);
  const wanted = db.selectFrom('users').select(['username', 'email']).where('id', '=', id);
  const account = await wanted.executeTakeFirst();
  if (!account) throw notFound('account');
  return account;
});

interface Link {
  readonly account: string;
  readonly tokenHash: string;
  readonly now: number;
}

/**
 * Ends all sessions of the account and all its links, and stores a new link to choose a password. Fails with `not_found`,
 * and with OperatorError for a disabled account, because its link would be refused.
 */
export const beginOperatorReset = writeOperation(
  'passwords.begin_operator_reset',
  async (db, { account, tokenHash, now }: Link, engine): Promise<void> => {
    const { id } = await named(db, account);
    const { username, email, disabled_at } = await lockAccount(db, id, now, engine);
    if (disabled_at !== null) {
      throw new OperatorError(
        `"${username}" is disabled, and its link would be refused; enable the account first.`,
      );
    }
    const { length } = await endSessions(db, { userId: id }, { now, because: 'logout' }, engine);
    const { lifeMs } = OPERATOR_LINK;
    const reset = { purpose: 'reset_password', user_id: id, email, email_key: foldKey(email) } as const;
    await keepLink(db, { ...reset, tokenHash, now, lifeMs });
    const about = { at: now, origin: null, accountId: id };
    const detail = { sessions: String(length), because: 'operator' };
    if (length > 0) await recordEvent(db, { event: 'sessions_ended', ...about, detail });
    await recordEvent(db, { event: 'password_reset_requested', ...about });
  },
);

interface NewPassword {
  readonly account: string;
  readonly newHash: string;
  readonly sendsMail: boolean;
  readonly now: number;
}

/** Gives the account a password that an operator typed. Fails with `not_found`. */
export const setPassword = writeOperation(
  'passwords.set_password',
  async (db, { account: login, newHash, sendsMail, now }: NewPassword, engine): Promise<void> => {
    const { id: userId } = await lockAccount(db, (await named(db, login)).id, now, engine);
    const account = await db
      .updateTable('users')
      .set({ password_hash: newHash, must_change_password: 0 })
      .where('id', '=', userId)
      .returning(['username', 'email'])
      .executeTakeFirstOrThrow();
    const made = { event: 'password_reset', userId, account, sendsMail, now, origin: null } as const;
    await completeNewPassword(db, made, engine);
  },
);

async function named(db: Db, login: string) {
  const account = await findByLogin(db, login);
  if (!account) throw notFound('account');
  return account;
}
