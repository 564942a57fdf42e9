import type { Config } from '../config.ts';
import { HashingPool } from '../passwords/hashing/pool.ts';
import { beginOperatorReset, findForReset, setPassword } from '../passwords/operator-reset.ts';
import { requireUncommon } from '../passwords/rule.ts';
import { OPERATOR_LINK } from '../services/links/purposes.ts';
import { newToken } from '../services/links/token.ts';
import type { Store } from '../store/store.ts';
import { askNewPassword, requireRules } from './ask.ts';
import { withStore } from './with-store.ts';

/**
 * Helps an owner who forgot the password and gets no mail. With PUBLIC_URL, prints a link to choose a password, which
 * works once. Without it, asks for the password. All sessions of the account end. `account` is a user name or an e-mail
 * address.
 */
export async function resetPassword(config: Config, account: string): Promise<void> {
  const { publicUrl } = config;
  await withStore(config, (store) =>
    publicUrl === undefined ? typePassword(store, config, account) : printLink(store, publicUrl, account),
  );
}

async function printLink(store: Store, publicUrl: string, account: string): Promise<void> {
  const { token, tokenHash } = newToken(OPERATOR_LINK.prefix);
  await store.write(beginOperatorReset, { account, tokenHash, now: Date.now() });
  process.stdout.write(
    `All sessions of "${account}" have ended. This link lets its owner choose a password, once and within a day:\n${publicUrl}/reset-password#token=${token}\n`,
  );
}

async function typePassword(store: Store, config: Config, account: string): Promise<void> {
  // The account is looked up first, so that nobody types a password in vain.
  const owner = await store.read(findForReset, account);
  const typed = { password: await askNewPassword() };
  requireRules(typed);
  requireUncommon(typed.password, owner, config.passwordBlocklist);
  await using hashing = new HashingPool(1);
  const newHash = await hashing.hash(typed.password);
  const sendsMail = config.mail !== undefined;
  await store.write(setPassword, { account, newHash, sendsMail, now: Date.now() });
  process.stdout.write(`"${account}" has a new password now, and all its sessions have ended.\n`);
}
