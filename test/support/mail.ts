import assert from 'node:assert/strict';
import { requestPasswordReset } from '../../src/passwords/forget.ts';
import { newLink } from '../../src/services/links/token.ts';
import { placeOfMailSecret } from '../../src/services/mail/queue.ts';
import { type Account, type Answer, call, newAccount } from './client.ts';
import type { Lifetime } from './engines.ts';
import { type MailServer, type ReceivedMail, startMailServer } from './mail-server.ts';
import type { RunningService } from './service.ts';

/** Asks for a new password as its owner, who has forgotten it. */
export function forget(url: string, email: string): Promise<Answer> {
  return call(url, 'POST', '/api/auth/password/forgotten', { body: { email } });
}

/** Chooses a new password by the link of a mail. */
export function reset(url: string, token: string, password: string): Promise<Answer> {
  return call(url, 'POST', '/api/auth/password/reset', { body: { token, new_password: password } });
}

/** A mail server that starts with the first service of a suite, and the settings of its services. */
export function mailServerOfSuite(others: Record<string, string> = {}) {
  let starting: Promise<MailServer> | undefined;
  let server: MailServer | undefined;
  return {
    server: () => server ?? assert.fail('The mail server starts with the service.'),
    settings: async (t: Lifetime) => {
      starting ??= startMailServer(t);
      server = await starting;
      return { ...server.settings, ...others };
    },
  };
}

/** The token of the link, which is the same in both forms of the mail. */
export function tokenIn(
  { text, html }: Pick<ReceivedMail, 'text' | 'html'>,
  page = 'reset-password',
): string {
  const link = new RegExp(`https://stoa\\.example/${page}#token=(stoa_[a-z]{2}_[\\w-]{43})(?![\\w-])`);
  const [[, token = ''], [, same]] = [link.exec(text) ?? [], link.exec(html) ?? []];
  assert.ok(token, text);
  assert.equal(same, token, html);
  return token;
}

/** A new account and the token of a link for it, without waiting for the mail. `now` is in ms since 1970. */
export async function newResetLink(
  service: RunningService,
  { now = Date.now() }: { readonly now?: number } = {},
): Promise<{ readonly token: string; readonly account: Account }> {
  const account = await newAccount(service.url);
  return { token: await mailLink(service, account.id, now), account };
}

/** Mails a link to an account, as the service does when its owner asks. Returns the token of the link. */
export async function mailLink(
  { store, sealing }: RunningService,
  userId: number,
  now: number,
  origin = { address: '127.0.0.1', source: '127.0.0.1', requestId: 'r' },
): Promise<string> {
  const link = newLink(sealing, 'reset_password');
  await store.write(requestPasswordReset, { userId, link, now, origin });
  return sealing.unseal(placeOfMailSecret(link.secret.id), link.secret.sealed);
}
