import { HashingPool } from '../auth/hashing/pool.ts';
import { beginOperatorReset, findForReset, setPassword } from '../auth/operator-reset.ts';
import { requireUncommon } from '../auth/password-rule.ts';
import type { Config } from '../config.ts';
import { newLinkToken, OPERATOR_LINK } from '../services/mail/links.ts';
import type { Store } from '../store/store.ts';
import { askNewPassword, requireRules } from './ask.ts';
import { withStore } from './with-store.ts';

/**
 * Helps an owner who forgot the password and gets no mail. With PUBLIC_URL: prints a link to choose a password, which
 * works once. Without: asks for the password. Either way all sessions of the account end. `account` is a user name or an
 * e-mail address.
 */
export async function resetPassword(config: Config, account: string): Promise<void> {
  const { publicUrl } = config;
  await withStore(config, (store) =>
    publicUrl === undefined ? typePassword(store, config, account) : printLink(store, publicUrl, account),
  );
}

async function printLink(store: Store, publicUrl: string, account: string): Promise<void> {
  const { token, tokenHash } = newLinkToken(OPERATOR_LINK);
  await store.write(beginOperatorReset, { account, tokenHash, now: Date.now() });
  process.stdout.write(
    `All sessions of "${account}" have ended. This link lets its owner choose a password, once and within a day:\n${publicUrl}/reset-password#token=${token}\n`,
  );
}

async function typePassword(store: Store, config: Config, account: string): Promise<void> {
  // Nobody should type a password and then hear that there is no such account.
  const owner = await store.read(findForReset, account);
  const typed = { password: await askNewPassword() };
  requireRules(typed);
  requireUncommon(typed.password, owner, config.passwordBlocklist);
  const newHash = await hashOf(typed.password);
  const sendsMail = config.mail !== undefined;
  await store.write(setPassword, { account, newHash, sendsMail, now: Date.now() });
  process.stdout.write(`"${account}" has a new password now, and all its sessions have ended.\n`);
}

async function hashOf(password: string): Promise<string> {
  const hashing = new HashingPool(1);
  try {
    return await hashing.hash(password);
  } finally {
    await hashing.close();
  }
}
