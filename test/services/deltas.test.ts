import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { ADMISSION } from '../../src/domain/admission/figures.ts';
import { Thread } from '../../src/domain/thread.ts';
import { Deltas } from '../../src/services/deltas/deltas.ts';
import { collidingTexts } from '../support/colliding-texts.ts';
import { longText } from '../support/long-text.ts';

const [ATTACKER, OTHER] = [1, 2];
const base = longText('a', 20_000);
const LONG = { base, text: `${base}and more` };

it('A delta that takes too long ends its thread, and its account has none made for the next minute', async (t) => {
  const deltas = new Deltas({ patience: 100 });
  // On a busy machine the clock may run out first.
  let used = 0;
  const { mock } = t.mock.method(Thread.prototype, 'processorTime', async () => (used += 100));
  let isOver = false;
  process.once('worker', (worker: Worker) =>
    worker.once('exit', () => {
      isOver = true;
    }),
  );
  const dear = collidingTexts(1024 * 1024);
  assert.equal(await deltas.inTurn(ATTACKER, async () => dear), undefined);
  assert.ok(isOver);
  mock.restore();
  assert.equal(await deltas.inTurn(ATTACKER, () => assert.fail('no text is read')), undefined);
  // On a busy machine the start of the thread may take long, but no part of the patience.
  const made = await deltas.inTurn(OTHER, async () => ({ ...LONG, version: 7 }));
  assert.deepEqual([made?.version, typeof made?.delta], [7, 'string']);
});

it('An account still has deltas made after one that only the clock of a busy machine has ended', async (t) => {
  const deltas = new Deltas({ patience: 100 });
  const { mock } = t.mock.method(Thread.prototype, 'processorTime', async () => 0);
  const dear = collidingTexts(1024 * 1024);
  assert.equal(await deltas.inTurn(OTHER, async () => dear), undefined);
  mock.restore();
  const made = await deltas.inTurn(OTHER, async () => LONG);
  assert.equal(typeof made?.delta, 'string');
});

it('A delta that waits for its turn, or is refused one, is in the metrics', async () => {
  const deltas = new Deltas();
  const { ofAskerWaiting } = ADMISSION.deltas;
  // One is made, one is refused, and the others wait.
  const asked = Array.from({ length: ofAskerWaiting + 2 }, () =>
    deltas.inTurn(OTHER, async () => undefined).catch(() => undefined),
  );
  const { readings } = deltas;
  await Promise.all(asked);
  assert.deepEqual(readings, [
    { name: 'stoa_admission_waiting', value: ofAskerWaiting, labels: { kind: 'delta' } },
    { name: 'stoa_admission_refused_total', value: 1, labels: { reason: 'deltas' } },
  ]);
});

it('An account that asks for many deltas lets another one have the turn after next', async () => {
  const deltas = new Deltas();
  const begun: number[] = [];
  const ask = (account: number) =>
    deltas.inTurn(account, async () => {
      begun.push(account);
      return undefined;
    });
  const many = Array.from({ length: ADMISSION.deltas.ofAskerWaiting }, () => ask(ATTACKER));
  await Promise.all([...many, ask(OTHER)]);
  assert.ok(begun.indexOf(OTHER) <= 2, String(begun));
});
