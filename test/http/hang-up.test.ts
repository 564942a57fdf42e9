import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ADMISSION } from '../../src/domain/admission/figures.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { onOneEngine } from '../support/engines.ts';
import { newSqlitePlace } from '../support/place.ts';
import { firstOf, rawGet, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';

const SIZE = 4 * 1024 * 1024;

onOneEngine('Clients that hang up', (engine) => {
  it('A client that hangs up in the middle of its body causes no error and fills no log', async (t) => {
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

  it('A client that hangs up in the middle of a large answer gives back its share', async (t) => {
    const place = await newSqlitePlace(t);
    const { url } = await startService(t, { name: '', settings: async () => ({ DATABASE_URL: place.url }) });
    const { id } = await newItem(url, (await newAccount(url)).token);
    // More than the buffers between the two take.
    await place.sql(`UPDATE content SET content = replace(hex(zeroblob(${SIZE / 2})), '00', '""')`);
    const path = `/api/content/${id}`;
    for (let held = 0; held <= ADMISSION.bytes / 2; held += SIZE) {
      const socket = sendRaw(t, url, rawGet(path));
      await firstOf(socket);
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    assert.equal((await call(url, 'GET', path)).status, 200);
  });
});
