import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ADMISSION } from '../../src/domain/admission/figures.ts';
import { ShortTurns } from '../../src/domain/admission/short-turns.ts';
import { sqlite } from '../support/engines.ts';
import { rawGet, sendRaw } from '../support/raw.ts';
import { startService } from '../support/service.ts';

it('One heavy task runs after every 16 turns in which new connections arrived', async () => {
  const turns = new ShortTurns();
  let [done, passed] = [0, 0];
  for (let task = 0; task < 3; task++) turns.wait('heavy', 'a source', () => void done++);
  const passedBefore: number[] = [];
  while (done < 3 && passed < 1_000) {
    const before = done;
    turns.noteConnection();
    await nextTurn();
    passed++;
    if (done > before) passedBefore.push(passed);
  }
  const each = ADMISSION.turnsWithoutHeavy + 1;
  assert.deepEqual(passedBefore, [each, 2 * each, 3 * each]);
});

it('A turn begins requests for 10 ms, and for 1 ms after a new connection', async (t) => {
  let [clock, begun] = [0, 0];
  t.mock.method(performance, 'now', () => clock);
  const turns = new ShortTurns();
  const ofOneMillisecond = () => {
    begun++;
    clock++;
  };
  for (let request = 0; request < 100; request++) turns.wait('request', 'a source', ofOneMillisecond);
  const begunInTurns: number[] = [];
  for (const isNew of [false, true, true, false]) {
    begun = 0;
    if (isNew) turns.noteConnection();
    await nextTurn();
    begunInTurns.push(begun);
  }
  assert.deepEqual(begunInTurns, [ADMISSION.turn, 1, 1, ADMISSION.turn]);
});

it('A source has one request begun before another source has its second', async (t) => {
  // However slow the machine is, the turn is not over.
  t.mock.method(performance, 'now', () => 0);
  const turns = new ShortTurns();
  const begun: string[] = [];
  for (const source of ['a', 'a', 'a', 'b', 'c', 'b'])
    turns.wait('request', source, () => void begun.push(source));
  await nextTurn();
  assert.deepEqual(begun, ['a', 'b', 'c', 'a', 'b', 'a']);
});

it('The service notes each connection that it accepts, so that its turns are short while many arrive', async (t) => {
  const noted = t.mock.method(ShortTurns.prototype, 'noteConnection');
  const { url } = await startService(t, sqlite);
  for (let count = 1; count <= 3; count++) {
    await text(sendRaw(t, url, rawGet('/livez', 'Connection: close\r\n')));
    assert.equal(noted.mock.callCount(), count);
  }
});
