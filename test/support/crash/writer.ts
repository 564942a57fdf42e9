import assert from 'node:assert/strict';
import { type Account, type Answer, type CallOptions, call, PASSWORD } from '../client.ts';
import type { Expected, Ledger } from './ledger.ts';

/**
 * A writer refreshes once in so many items. Some writers register an account once in so many items: few, because each
 * costs a password hash.
 */
const REFRESH_EVERY = 7;
const REGISTER_EVERY = 8;
const WRITERS_PER_REGISTRAR = 8;

/** The account with its latest tokens. */
export interface Written extends Account {
  /** The service was gone before it answered a refresh with this token. */
  readonly isRefreshing: boolean;
}

/**
 * Writes without a pause until the service is gone, and notes in the ledger what was sent and what was
 * acknowledged.
 */
export async function runWriter(url: string, account: Account, ledger: Ledger): Promise<Written> {
  let { token, refreshToken } = account;
  let isRefreshing = false;
  const send = (method: string, path: string, options: CallOptions) =>
    sendUnlessGone(url, method, path, options);
  // Writers begin at different rounds, so that all kinds of requests are under way at any moment.
  for (let round = account.id; ; round++) {
    if (round % REFRESH_EVERY === 0) {
      const answer = await send('POST', '/api/auth/refresh', { token: refreshToken });
      isRefreshing = !answer;
      if (!answer) break;
      token = answer.body.data.token;
      refreshToken = answer.body.data.refresh_token;
      ledger.acknowledged.refreshes++;
    }
    if (account.id % WRITERS_PER_REGISTRAR === 0 && round % REGISTER_EVERY === 0) {
      const username = `new-${ledger.nextNumber()}`;
      const body = { username, email: `${username}@example.org`, password: PASSWORD };
      if (!(await send('POST', '/api/auth/register', { body }))) break;
      ledger.registered(username);
      ledger.acknowledged.registrations++;
    }
    if (!(await writeItem(send, account.username, token, ledger, round))) break;
  }
  return { ...account, token, refreshToken, isRefreshing };
}

type Send = (method: string, path: string, options: CallOptions) => Promise<Answer | undefined>;

/** The life of one item: created, changed, and one of three deleted. False when the service is gone. */
async function writeItem(
  send: Send,
  author: string,
  token: string,
  ledger: Ledger,
  round: number,
): Promise<boolean> {
  const number = ledger.nextNumber();
  const item: Expected = { author, title: `item ${number}`, acknowledged: null, pending: undefined };
  const content = `first content of ${number}, ${'x'.repeat(number % 1000)}`;

  const created = ledger.sending(item, { version: 1, content });
  const creation = await send('POST', '/api/content', {
    token,
    body: { title: item.title, content, tags: ['crash'] },
  });
  if (!creation) return false;
  created();
  ledger.acknowledged.creates++;
  const path = `/api/content/${creation.body.data.id}`;

  const updated = ledger.sending(item, { version: 2, content: `second ${content}` });
  if (!(await send('PUT', path, { token, body: { content: `second ${content}` } }))) return false;
  updated();
  ledger.acknowledged.updates++;

  if (round % 3 !== 0) return true;
  const deleted = ledger.sending(item, null);
  if (!(await send('DELETE', path, { token }))) return false;
  deleted();
  ledger.acknowledged.deletes++;
  return true;
}

/** Undefined when the service was gone before its whole answer arrived; any other answer than 200 is a fault. */
async function sendUnlessGone(
  url: string,
  method: string,
  path: string,
  options: CallOptions,
): Promise<Answer | undefined> {
  let answer: Answer;
  try {
    answer = await call(url, method, path, options);
  } catch {
    return undefined;
  }
  assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer;
}
