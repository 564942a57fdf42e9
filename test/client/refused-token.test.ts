// Needs: processes.

import assert from 'node:assert/strict';
import { after, before, it, mock, type TestContext } from 'node:test';
import { createClient, memoryTokens } from '../../client/src/index.ts';
import { call, newAccount, newItem, PASSWORD } from '../support/client.ts';
import { startClientSite } from '../support/client-site.ts';
import { onOneEngine, PATIENCE } from '../support/engines.ts';
import { startService } from '../support/service.ts';

const REFRESH = '/api/auth/refresh';
/** The clock of the service is past the end of the token, and that of the client is not: as after a laptop's sleep. */
const ASLEEP_MS = 16 * 60_000;

onOneEngine('Where everybody may read, the client', (engine) => {
  const { timeout } = AbortSignal;
  before(() => {
    mock.method(AbortSignal, 'timeout', (ms: number) => timeout(PATIENCE * ms));
  });
  after(() => mock.restoreAll());

  /** A client that is signed in, and two items: one for all, one for members. */
  async function reading(t: TestContext) {
    const service = await startService(t, engine, { CONTENT_READ: 'public' });
    const site = await startClientSite(t, service.url);
    const { username, token } = await newAccount(service.url);
    const open = await newItem(service.url, token);
    await newItem(service.url, token, { visibility: 'members' });
    const stoa = createClient({ url: site.url, tokens: memoryTokens() });
    assert.ok((await stoa.signIn({ username, password: PASSWORD })).ok);
    const refreshes = () => site.asked.filter((each) => each === `POST ${REFRESH}`).length;
    const total = async () => {
      const list = await stoa.call('listContent');
      return list.ok ? list.data.total : list.error.error;
    };
    return { service, site, stoa, token, open, refreshes, total };
  }

  it('The client reads again, after one refresh, what a refused token got as a stranger: lists, steps of a walk, a 304', async (t) => {
    const { service, stoa, open, refreshes, total } = await reading(t);
    service.passTime(ASLEEP_MS);
    assert.deepEqual(await Promise.all([total(), total(), total()]), [2, 2, 2]);
    assert.equal(refreshes(), 1);

    service.passTime(ASLEEP_MS);
    const walked: number[] = [];
    for await (const { id } of stoa.walk('listContent', { query: { per_page: 1 } })) {
      walked.push(id);
      service.passTime(ASLEEP_MS);
    }
    assert.equal(walked.length, 2);
    assert.equal(refreshes(), 3, 'one for each step');

    const path = { id: open.id };
    const item = await stoa.call('getContent', { path });
    const headers = { 'if-none-match': item.headers?.get('etag') ?? '' };
    service.passTime(ASLEEP_MS);
    const again = await stoa.call('getContent', { path, headers });
    assert.equal(again.status, 304);
    assert.equal(again.headers?.get('www-authenticate'), null, 'it is the answer to the account');
  });

  it('A list is a failure, and signs out, where the session has ended elsewhere', async (t) => {
    const { service, stoa, token, total } = await reading(t);
    await call(service.url, 'DELETE', '/api/auth/sessions', { token });
    assert.equal(await total(), 'token_revoked');
    assert.equal(stoa.session.state, 'signed-out');
    assert.equal(await total(), 1, 'that of a stranger');
  });

  it('The client keeps the session, and fails, where the refresh for a refused token has no answer', async (t) => {
    const { service, site, stoa, total } = await reading(t);
    service.passTime(ASLEEP_MS);
    site.meddle(REFRESH, (_asked, reply) => reply.destroy());
    assert.equal(await total(), 'network');
    assert.equal(stoa.session.state, 'signed-in');
    site.meddle(REFRESH, undefined);
    assert.equal(await total(), 2);
  });
});
