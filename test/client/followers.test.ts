// Needs: processes.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createClient, memoryTokens } from '../../client/src/index.ts';
import { newAccount, PASSWORD } from '../support/client.ts';
import { sqlite } from '../support/engines.ts';
import { startService } from '../support/service.ts';

it('A snapshot of the session tells one account from another, and subscribe works without its object, as frameworks call it', async (t) => {
  const { url } = await startService(t, sqlite);
  const [ada, bob] = [await newAccount(url), await newAccount(url)];
  const { session, signIn, signOut } = createClient({ url, tokens: memoryTokens() });
  const seen: unknown[] = [];
  const { subscribe } = session;
  const leave = subscribe(() => seen.push([session.state, session.account]));
  for (const { username } of [ada, bob]) await signIn({ username, password: PASSWORD });
  await signOut();
  leave();
  await signIn({ username: ada.username, password: PASSWORD });
  assert.deepEqual(seen, [
    ['signed-in', ada.id],
    ['signed-in', bob.id],
    ['signed-out', undefined],
  ]);
  assert.equal(session.account, ada.id);
});

it('A session that is taken up from a refresh token tells its account once it is known', async (t) => {
  const { url } = await startService(t, sqlite);
  const { id, refreshToken } = await newAccount(url);
  const { session, call } = createClient({ url, tokens: memoryTokens(refreshToken) });
  const seen: unknown[] = [[session.state, session.account]];
  session.subscribe(() => seen.push([session.state, session.account]));
  assert.ok((await call('getMe')).ok);
  assert.deepEqual(seen, [
    ['signed-in', undefined],
    ['signed-in', id],
  ]);
});

it('A listener that throws is reported, and neither fails a sign-in nor keeps another from being called', async (t) => {
  const { url } = await startService(t, sqlite);
  const { username } = await newAccount(url);
  const stoa = createClient({ url, tokens: memoryTokens() });
  const reported: unknown[] = [];
  // Node.js has none.
  Reflect.set(globalThis, 'reportError', (error: unknown) => reported.push(error));
  t.after(() => Reflect.deleteProperty(globalThis, 'reportError'));
  const mistake = new Error('a mistake of the app');
  let heard = 0;
  stoa.session.subscribe(() => {
    throw mistake;
  });
  stoa.session.subscribe(() => heard++);
  assert.ok((await stoa.signIn({ username, password: PASSWORD })).ok);
  assert.deepEqual([reported, heard], [[mistake], 1]);
  Reflect.deleteProperty(globalThis, 'reportError');
  const logged = t.mock.method(console, 'error', () => {});
  assert.ok((await stoa.signOut()).ok);
  assert.deepEqual([logged.mock.calls[0]?.arguments, heard], [[mistake], 2]);
});
