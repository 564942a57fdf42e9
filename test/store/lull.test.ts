import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Lull } from '../../src/store/lull.ts';
import { onEveryEngine } from '../support/engines.ts';
import { appendInBackground } from '../support/gated-operations.ts';
import { appendToNote, insertNote, readNote } from '../support/operations.ts';
import { openTestStore } from '../support/store.ts';

const NEVER = 1_000_000;

describe('A lull between writes', { concurrency: true }, () => {
  it('is there at once where nothing was written', async () => {
    await new Lull(NEVER, NEVER).wait();
  });

  it('does not come while writes follow one another, and comes after the last', async () => {
    const lull = new Lull(500, NEVER);
    lull.disturb();
    let isWaiting = true;
    const waited = lull.wait().then(() => {
      isWaiting = false;
    });
    // Twice the pause in all, and far less between two writes.
    for (let write = 0; write < 50; write++) {
      await pause(20);
      lull.disturb();
    }
    assert.equal(isWaiting, true);
    await waited;
  });

  it('is not waited for without end by what writes never let come', async () => {
    const lull = new Lull(20, 200);
    lull.disturb();
    let disturbances = 0;
    const writes = setInterval(() => {
      disturbances++;
      lull.disturb();
    }, 1);
    try {
      await Promise.race([lull.wait(), pause(10_000).then(() => assert.fail('it waits for ever'))]);
    } finally {
      clearInterval(writes);
    }
    assert.ok(disturbances > 0);
  });
});

onEveryEngine('A write in the background', (engine) => {
  it('steps aside for the writes that come with it and after it', async (t) => {
    const store = await openTestStore(t, engine);
    await store.write(insertNote, 'note');
    const append = (text: string) => store.write(appendToNote, { name: 'note', text });
    // As many connections as will be used are there.
    await Promise.all(Array.from({ length: 8 }, () => append('1')));
    const inBackground = store.write(appendInBackground, { name: 'note', text: 'b' });
    await Promise.all([...Array.from({ length: 8 }, () => append('2')), inBackground]);
    // On PostgreSQL the last of the writes may still wait for the row when this one comes.
    assert.match((await store.read(readNote, 'note')) ?? '', /^01{8}2+b2*$/);
  });

  it('is done in the end, however many writes come', async (t) => {
    const store = await openTestStore(t, engine);
    await store.write(insertNote, 'note');
    let isDone = false;
    const inBackground = store.write(appendInBackground, { name: 'note', text: 'b' }).then(() => {
      isDone = true;
    });
    while (!isDone) await store.write(appendToNote, { name: 'note', text: '1' });
    await inBackground;
    assert.match((await store.read(readNote, 'note')) ?? '', /^01*b1*$/);
  });
});
