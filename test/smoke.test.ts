import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount } from './support/client.ts';
import { onEveryEngine } from './support/engines.ts';
import { startService } from './support/service.ts';

onEveryEngine('The service', (engine) => {
  it('lists the users', async (t) => {
    const { url } = await startService(t, engine);
    const { token } = await newAccount(url);
    const { body } = await call(url, 'GET', '/api/users', { token });
    assert.equal(body.data.total, 1);
  });
});
