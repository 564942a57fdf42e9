import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { HashingPool } from '../../src/passwords/hashing/pool.ts';
import { newAccount, newName, PASSWORD } from '../support/client.ts';
import { onOneEngine } from '../support/engines.ts';
import { signIn, startBehindProxy, WRONG } from '../support/sign-in.ts';
import { until } from '../support/until.ts';

const HOME = '198.51.100.1';
/** Places of strangers in the hashing queue, and senders: more than these places and the threads take. */
const [PLACES, SENDERS] = [8, 24];

onOneEngine('A flood of sign-ins', (engine) => {
  it('A known device still signs in while strangers send more passwords than can be hashed', async (t) => {
    const hashing = new HashingPool(2, undefined, PLACES);
    t.after(() => hashing.close());
    const { url } = await startBehindProxy(t, engine, {}, { hashing });
    const { username } = await newAccount(url);
    assert.equal((await signIn(url, username, PASSWORD, HOME)).status, 200);
    let [isOver, busy] = [false, 0];
    const flood = Array.from({ length: SENDERS }, async (_, sender) => {
      while (!isOver) {
        const { status } = await signIn(url, newName(), WRONG, `10.${sender >> 8}.${sender & 255}.1`);
        if (status !== 503) continue;
        busy++;
        await pause(50);
      }
    });
    await until(() => busy > 0, 'a stranger is refused');
    const answers = [];
    for (let round = 0; round < 3; round++) answers.push(await signIn(url, username, PASSWORD, HOME));
    const busyThen = busy;
    await until(() => busy > busyThen, 'another stranger is refused');
    isOver = true;
    await Promise.all(flood);
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(3).fill(200),
    );
  });
});
