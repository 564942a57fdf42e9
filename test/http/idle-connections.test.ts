import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '../../src/http/limits.ts';
import { newAccount } from '../support/client.ts';
import { temporaryFolder } from '../support/engines.ts';
import { firstOf, rawGet, rawPost, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';

/** How often connections are checked; several times in each round below. */
const CHECK_MS = 25;
const limits: { timeoutCheck: number } = LIMITS;
mock.property(limits, 'timeoutCheck', CHECK_MS);

it('A connection that begins no request is closed after a while, whatever it sends, and no other is', async (t) => {
  const engine = { name: '', settings: async () => ({ DATA_DIR: await temporaryFolder(t) }) };
  // The clock of the test: on a busy machine nobody is idle by accident.
  let passed = 0;
  const now = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => now() + passed);
  const { url } = await startService(t, engine);
  const { token } = await newAccount(url);
  const [idle, used, busy] = [0, 1, 2].map(() => sendRaw(t, url, rawGet('/livez')));
  assert.ok(idle && used && busy);
  await Promise.all([idle, used, busy].map(firstOf));
  const body = JSON.stringify({ title: 'T', content: 'C' });
  busy.write(rawPost('/api/content', body.length, token).replace('Host', 'Expect: 100-continue\r\nHost'));
  assert.match(await firstOf(busy), /^HTTP\/1\.1 100 /);

  idle.resume();
  for (let round = 0; round < 20 && !idle.closed; round++) {
    idle.write('\r\n');
    used.write(rawGet('/livez'));
    assert.match(await firstOf(used), /^HTTP\/1\.1 200 /);
    await pause(4 * CHECK_MS);
    passed += LIMITS.idleTimeout / 5;
  }
  assert.ok(idle.closed, 'the idle connection is open still');
  busy.write(body);
  assert.match(await firstOf(busy), /^HTTP\/1\.1 200 /);
});
