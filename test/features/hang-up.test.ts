import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { call } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { startService } from '../support/service.ts';

onEveryEngine('A client that hangs up', (engine) => {
  it('in the middle of its body is no error of the service and fills no log', async (t) => {
    const { url, log } = await startService(t, engine);
    const begun = log.length;
    const head =
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
    for (let round = 0; round < 5; round++) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      await once(socket, 'connect');
      await new Promise((sent) => socket.write(head, sent));
      await pause(20);
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    await pause(50);
    assert.equal((await call(url, 'GET', '/livez')).status, 200);
    // At level debug there is a line for the request that was answered.
    const events = log.slice(begun).filter((line) => JSON.parse(line).level > 20);
    assert.deepEqual(
      events,
      events.filter((line) => line.includes('listening')),
    );
  });
});
