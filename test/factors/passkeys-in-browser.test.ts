// Needs: a browser.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import type { App } from '../../src/http/server.ts';
import { startBrowser } from '../support/browser.ts';
import { call, newAccount, PASSWORD } from '../support/client.ts';
import { freePort } from '../support/cluster.ts';
import { onOneEngine } from '../support/engines.ts';
import { PASSKEYS } from '../support/passkeys.ts';
import { startService } from '../support/service.ts';

/** A page of the service's own origin, which does what the documentation tells pages to do. */
const PAGE = `<!doctype html>
<title>Passkeys</title>
<script>
const ask = async (path, body, token) => {
  const headers = token ? { authorization: 'Bearer ' + token } : {};
  if (body) headers['content-type'] = 'application/json';
  const answer = await fetch(path, { method: 'POST', headers, body: body && JSON.stringify(body) });
  return answer.json();
};
const post = async (path, body, token) => {
  const { code, data, message } = await ask(path, body, token);
  if (code !== 200) throw new Error(message);
  return data;
};
const addPasskey = async (token, name) => {
  const options = await post('/api/auth/passkeys/options', undefined, token);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey });
  return post('/api/auth/passkeys', { name, response: credential.toJSON() }, token);
};
const logInTwice = async (username, password) => {
  const { data } = await ask('/api/auth/login', { username, password });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(data.passkey);
  const credential = await navigator.credentials.get({ publicKey });
  const { challenge } = data;
  return post('/api/auth/login/second-factor', { challenge, response: credential.toJSON() });
};
const logIn = async () => {
  const options = await post('/api/auth/login/passkey/options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  return post('/api/auth/login/passkey', { response: credential.toJSON() });
};
</script>
`;

const POLICY = "default-src 'none'; script-src 'unsafe-inline'; connect-src 'self'";

/** An authenticator of the browser's own, as a phone has one; `isVerified` is what its fingerprint reader says. */
async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    setVerified: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    credentials: async () =>
      (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
  };
}

onOneEngine('Passkeys in a browser', (engine) => {
  it('A page in a browser adds a passkey and signs in with it, without a name or a password', async (t) => {
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const beforeRoutes = async (bare: App) => {
      bare.get('/page', async (_request, reply) =>
        reply.header('content-security-policy', POLICY).type('text/html').send(PAGE),
      );
    };
    const settings = { PORT: String(port), PUBLIC_URL: origin };
    const { url } = await startService(t, engine, settings, { beforeRoutes });
    const account = await newAccount(url);
    const page = await (await startBrowser(t)).newPage();
    await page.goto(`${origin}/page`);
    const { setVerified, credentials } = await addAuthenticator(page);

    const add = (name: string) => page.evaluate(`addPasskey('${account.token}', '${name}')`);
    const added = await add('My browser');
    const { items } = (await call(url, 'GET', PASSKEYS, { token: account.token })).body.data;
    assert.deepEqual(items, [added]);
    await assert.rejects(add('Once more'), /InvalidStateError/, 'the browser knows that it has one already');
    const [credential] = await credentials();
    assert.deepEqual([credential?.rpId, credential?.isResidentCredential], ['localhost', true]);
    assert.equal(Buffer.from(credential?.userHandle ?? '', 'base64').length, 32);

    for (let each = 0; each < 2; each++) {
      const { token, user } = Object(await page.evaluate('logIn()'));
      assert.deepEqual(user, { id: account.id, username: account.username });
      const me = await call(url, 'GET', '/api/users/me', { token });
      assert.equal(me.body.data.id, account.id);
    }
    const [used] = (await call(url, 'GET', PASSKEYS, { token: account.token })).body.data.items;
    assert.ok(used.last_used_at > used.created_at);

    const completed = Object(await page.evaluate(`logInTwice('${account.username}', '${PASSWORD}')`));
    assert.equal(completed.user.id, account.id, 'after the password too');

    await setVerified(false);
    await assert.rejects(page.evaluate('logIn()'), /NotAllowedError/);
    await setVerified(true);
    await call(url, 'DELETE', `${PASSKEYS}/${used.id}`, { token: account.token });
    await assert.rejects(page.evaluate('logIn()'), /This passkey was not accepted/);
  });
});
