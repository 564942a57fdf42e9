import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { WritePause } from '../../src/store/sqlite/write-pause.ts';
import { onEveryEngine, sqlite } from '../support/engines.ts';
import { appendInBackground } from '../support/gated-operations.ts';
import { appendToNote, insertNote, readNote } from '../support/operations.ts';
import { openTestStore, WITH_TEST_OPERATIONS } from '../support/store.ts';

const NEVER = 1_000_000;

describe('Pauses between writes', { concurrency: true }, () => {
  it('A pause between writes is there at once where nothing was written', async () => {
    await new WritePause(NEVER, NEVER).wait();
  });

  it('A pause between writes comes after the last of several writes, and not among them', async () => {
    const writePause = new WritePause(500, NEVER);
    writePause.disturb();
    let isWaiting = true;
    const waited = writePause.wait().then(() => {
      isWaiting = false;
    });
    // Twice the pause in all, and far less between two writes.
    for (let write = 0; write < 50; write++) {
      await pause(20);
      writePause.disturb();
    }
    assert.equal(isWaiting, true);
    await waited;
  });

  it('A pause that never comes is not waited for without end', async () => {
    const writePause = new WritePause(20, 200);
    writePause.disturb();
    let disturbances = 0;
    const writes = setInterval(() => {
      disturbances++;
      writePause.disturb();
    }, 1);
    try {
      await Promise.race([
        writePause.wait(),
        pause(10_000, undefined, { ref: false }).then(() => assert.fail('it waits for ever')),
      ]);
    } finally {
      clearInterval(writes);
    }
    assert.ok(disturbances > 0);
  });

  it('A write in the background lets other writes go first on SQLite, which has one writer', async (t) => {
    const store = await openTestStore(t, sqlite, WITH_TEST_OPERATIONS);
    await store.write(insertNote, 'note');
    const append = (text: string) => store.write(appendToNote, { name: 'note', text });
    await Promise.all(Array.from({ length: 8 }, () => append('1')));
    const inBackground = store.write(appendInBackground, { name: 'note', text: 'b' });
    await Promise.all([...Array.from({ length: 8 }, () => append('2')), inBackground]);
    assert.match((await store.read(readNote, 'note')) ?? '', /^01{8}2{8}b$/);
  });
});

onEveryEngine('Writes in the background', (engine) => {
  it('A write in the background is done in the end, however many writes come', async (t) => {
    const store = await openTestStore(t, engine, WITH_TEST_OPERATIONS);
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
