// Needs: processes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { call, login } from '../support/client.ts';
import { run } from '../support/command.ts';
import { temporaryFolder } from '../support/engines.ts';
import { startHere } from '../support/service.ts';

const SCRIPT = new URL('../../scripts/seed.ts', import.meta.url).pathname;

/** It writes through the operations of the service, which are the same on each engine. */
describe('`npm run seed`', () => {
  it('`npm run seed` fills an empty database once, with users who can sign in and content', async (t) => {
    const settings = { DATA_DIR: await temporaryFolder(t) };
    const seed = () => run(process.execPath, [SCRIPT], { settings });
    const { code, stdout, stderr } = await seed();
    assert.deepEqual([code, stderr], [0, '']);
    const [, password = '', admin = ''] =
      /The password of all of them is (\S+)\nThe admin is (\S+),/.exec(stdout) ?? assert.fail(stdout);

    const again = await seed();
    assert.equal(again.code, 1);
    assert.match(again.stderr, /has 300 accounts already; seed an empty database\.\n$/);

    const { url } = await startHere(t, settings);
    const { token } = await login(url, admin, password);
    assert.equal((await call(url, 'GET', '/api/users/me', { token })).body.data.role, 'admin');
    await login(url, 'person300@example.org', password);
    const totalOf = async (path: string) => (await call(url, 'GET', path, { token })).body.data.total;
    assert.equal(await totalOf('/api/users'), 300);
    assert.equal(await totalOf('/api/content'), 240);
    for (const word of [
      'harbour',
      'Brücke',
      'θάλασσα',
      'поезд',
      '図書館',
      '三本',
      '도서관',
      'المحطة',
      'स्टेशन',
    ]) {
      assert.ok((await totalOf(`/api/content?keyword=${encodeURIComponent(word)}`)) > 0, word);
    }
  });
});
