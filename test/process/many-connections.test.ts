import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { LIMITS } from '../../src/http/limits.ts';
import { temporaryFolder } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';
import { rawGet, sendRaw } from '../support/raw.ts';

/** Few enough to be taken at once: the system keeps 511 that wait. */
const AT_ONCE = 250;
const [ONE, OTHER] = ['127.0.0.2', '127.0.0.3'];

it(`One source has ${LIMITS.connections / 2} connections; one more is closed at once, and others are served`, async (t) => {
  const { url, child } = await startProcess(t, { DATA_DIR: await temporaryFolder(t) });
  const connect = async () => {
    const socket = sendRaw(t, url, rawGet('/livez'), ONE);
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 200 /);
    return socket;
  };
  for (let open = 0; open < LIMITS.connections / 2; open += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, connect));
  const memory = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
  t.diagnostic(`${Math.round(Number(memory) / 1024)} MiB resident`);

  const last = rawGet('/livez', 'Connection: close\r\n');
  assert.equal(await text(sendRaw(t, url, last, ONE)).catch(() => ''), '');
  assert.match(await text(sendRaw(t, url, last, OTHER)), /^HTTP\/1\.1 200 /);
});
