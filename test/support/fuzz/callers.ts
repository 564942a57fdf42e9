import assert from 'node:assert/strict';
import { call, login, newAccount, newName, PASSWORD } from '../client.ts';
import { stoa } from '../command.ts';
import { newPersonalToken } from '../people.ts';
import { signIn } from '../sign-in.ts';
import { type Caller, KNOWN } from './requests.ts';
import type { RawAnswer } from './wire.ts';

/** The living tokens of the callers, and the last item that there was. */
export interface Callers {
  /** The bytes of a head, with tokens in the places of names. */
  readonly fill: (head: string) => Buffer;
  /** Takes note of what the answer changes: a token that is used up, an item that is new. */
  readonly learn: (head: string, answer: RawAnswer) => Promise<void>;
}

/** Makes the accounts that fuzzed requests come from. */
export async function newCallers(url: string, settings: Record<string, string>): Promise<Callers> {
  await newAccount(url, KNOWN.username);
  const names = {
    member: 'fuzzmember',
    leaver: 'fuzzleaver',
    refresher: 'fuzzrefresher',
    ended: 'fuzzended',
  };
  const tokens = {} as Record<Caller, string>;
  for (const [caller, name] of Object.entries(names))
    tokens[caller as Caller] = (await newAccount(url, name)).token;
  tokens.refresher = (await login(url, names.refresher)).refreshToken;
  await call(url, 'POST', '/api/auth/logout', { token: tokens.ended });
  tokens.program = await newPersonalToken(url, { token: tokens.member });
  const create = ['admin', 'create', '--username', 'fuzzadmin', '--email', 'fuzzadmin@example.org'];
  const created = await stoa(create, { settings, input: `${PASSWORD}\n` });
  assert.equal(created.code, 0, created.stderr);
  tokens.admin = (await login(url, 'fuzzadmin')).token;
  let item = '1';

  /** A new session, of another account where a random request of the admin has ended or disabled this one. */
  const signInAgain = async (caller: 'leaver' | 'refresher') => {
    const { status, body } = await signIn(url, names[caller]);
    if (status === 200) return { token: body.data.token, refreshToken: body.data.refresh_token };
    names[caller] = newName('fuzz');
    return newAccount(url, names[caller]);
  };

  return {
    fill: (head) =>
      Buffer.from(
        head.replaceAll(/@(\w+)@/g, (all, name) =>
          name === 'item' ? item : (tokens[name as Caller] ?? all),
        ),
        'latin1',
      ),
    learn: async (head, { status, text }) => {
      if (status === 200 && head.startsWith('POST /api/content ')) item = String(JSON.parse(text).data.id);
      if (!/^POST \/api\/auth\/(refresh|logout) /.test(head)) return;
      if (head.includes('@leaver@') && status === 200) tokens.leaver = (await signInAgain('leaver')).token;
      if (!head.includes('@refresher@')) return;
      if (status === 200) tokens.refresher = JSON.parse(text).data.refresh_token;
      else if (status === 401) tokens.refresher = (await signInAgain('refresher')).refreshToken;
    },
  };
}
