// Needs: a browser.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createInvitation } from '../../src/invitations/create.ts';
import { requestVerification } from '../../src/services/links/verification.ts';
import { startBrowser } from '../support/browser.ts';
import { call, login, newName, PASSWORD } from '../support/client.ts';
import { addressOf, newTestLink, newUnproven } from '../support/email.ts';
import { sqlite } from '../support/engines.ts';
import { newWithRole } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { sessionIdOf } from '../support/target-of-route.ts';

/** The pages are the same on every engine. */
const engine = sqlite;
const origin = { address: '127.0.0.1', source: '127.0.0.1', requestId: 'r' };

it('A page of a mailed link changes nothing when opened, and acts when its button is pressed', async (t) => {
  const service = await startService(t, engine, { SMTP_URL: 'log' });
  const { url, store } = service;
  const { id: userId, username, email } = await newUnproven(service);
  const { token: own } = await login(url, username);
  const proof = newTestLink(service);
  await store.write(requestVerification, { userId, link: proof.link, now: Date.now(), origin });
  const page = await (await startBrowser(t)).newPage();
  await page.goto(`${url}/verify-email#token=${proof.token}`);
  await page.getByRole('button', { name: 'Confirm' }).waitFor();
  assert.deepEqual(await addressOf(url, own), [email, false]);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Your address is confirmed, and you can log in.').waitFor();
  assert.deepEqual(await addressOf(url, own), [email, true]);

  const admin = await newWithRole(service, 'admin');
  const caller = { userId: admin.id, sessionId: sessionIdOf(admin.token) };
  const { token, link } = newTestLink(service);
  const invited = newName();
  const address = `${invited}@example.org`;
  const invitation = { email: address, role: 'editor', link, caller, origin } as const;
  await store.write(createInvitation, { ...invitation, now: Date.now() });
  await page.goto(`${url}/accept-invitation#token=${token}&email=${encodeURIComponent(address)}`);
  assert.equal(await page.getByLabel('E-mail address').inputValue(), address, 'the link fills it in');
  const fields = { 'User name': invited, Password: PASSWORD };
  for (const [label, text] of Object.entries(fields)) await page.getByLabel(label).fill(text);
  assert.equal(await page.getByRole('link').count(), 0, 'nobody can sign in yet');
  await page.getByRole('button', { name: 'Make the account' }).click();
  await page.getByText('You have an account, and can log in.').waitFor();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('User name or e-mail').waitFor();
  const { token: theirs } = await login(url, invited);
  assert.deepEqual(await addressOf(url, theirs), [address, true]);

  assert.equal((await call(url, 'DELETE', '/api/users/me', { token: theirs })).status, 200);
  await page.goto(`${url}/restore-account#username=${username}&password=${PASSWORD}`);
  await page.getByRole('button', { name: 'Take it back' }).waitFor();
  assert.equal(
    await page.getByLabel('Password').inputValue(),
    '',
    'a link fills in what its page says alone',
  );
  await page.getByLabel('User name').fill(invited);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Take it back' }).click();
  await page.getByText('Your account is open again, and you can log in.').waitFor();
  await login(url, invited);
});
