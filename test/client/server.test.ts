// Needs: processes.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { cookieTokens, createClient } from '../../client/src/index.ts';
import { newAccount, PASSWORD } from '../support/client.ts';
import { sqlite } from '../support/engines.ts';
import { startService } from '../support/service.ts';

it('Clients for the requests of two users in one process share no session, as they do in one browser', async (t) => {
  const { url } = await startService(t, sqlite);
  const clients = [];
  for (const account of [await newAccount(url), await newAccount(url)]) {
    const stoa = createClient({ url, tokens: cookieTokens() });
    assert.ok((await stoa.signIn({ username: account.username, password: PASSWORD })).ok);
    clients.push({ stoa, account });
  }
  const later = createClient({ url, tokens: cookieTokens() });
  // What one of them told the others would be there by then.
  await pause(100);
  for (const { stoa, account } of clients) {
    const me = await stoa.call('getMe');
    assert.equal(me.ok && me.data.username, account.username);
    assert.equal(stoa.session.name, undefined, 'listeners to live events share nothing either');
  }
  assert.equal((await later.call('getMe')).status, 401);
});
