// Needs: a browser.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startBrowser } from '../support/browser.ts';
import { PASSWORD } from '../support/client.ts';
import { onOneEngine } from '../support/engines.ts';
import { newResetLink } from '../support/mail.ts';
import { startService } from '../support/service.ts';
import { signIn } from '../support/sign-in.ts';

onOneEngine('The page of a reset link', (engine) => {
  it('The page of a reset link sets the typed password, leaks no link, and runs no other script', async (t) => {
    const service = await startService(t, engine);
    const { url } = service;
    const { token, account } = await newResetLink(service);
    const page = await (await startBrowser(t)).newPage();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`${url}/reset-password#token=${token}`);
    const choose = async (password: string) => {
      await page.getByLabel('New password').fill(password);
      await page.getByRole('button', { name: 'Save' }).click();
    };
    await choose('short');
    await page.getByText('password must have 8 to 256 characters.').waitFor();
    await choose('a better horse battery');
    await page.getByText('You have a new password, and can log in with it.').waitFor();
    assert.equal((await signIn(url, account.username, 'a better horse battery')).status, 200);
    assert.equal((await signIn(url, account.username, PASSWORD)).status, 401);

    await page.goto('about:blank');
    await page.goto(`${url}/reset-password#token=${token}`);
    await choose('yet another password');
    await page.getByText('This link was used already or is too old; ask for a new one.').waitFor();
    const [shown, sent] = [`${url}/reset-password`, `${url}/api/auth/password/reset`];
    assert.deepEqual(
      requests.filter((each) => !each.startsWith('about:')),
      [shown, sent, sent, shown, sent],
    );
    await assert.rejects(page.addScriptTag({ content: 'document.title = "other"' }));
  });
});
