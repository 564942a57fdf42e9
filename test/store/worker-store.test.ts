import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { setRole } from '../../src/accounts/administer.ts';
import { createAccount } from '../../src/accounts/create.ts';
import { Failure } from '../../src/domain/failure.ts';
import { Peer } from '../../src/domain/peer.ts';
import type { PeerMessage } from '../../src/domain/peer-messages.ts';
import { outsideRequests } from '../../src/domain/spent.ts';
import type { Announcement } from '../../src/store/announcements.ts';
import { answerWorker } from '../../src/store/sqlite/answer-worker.ts';
import { loadOperations } from '../../src/store/sqlite/operations.ts';
import { openWorkerStore } from '../../src/store/sqlite/worker-store.ts';
import { newSqliteFile } from '../support/engines.ts';
import { verbsNotedBy } from '../support/noted-statements.ts';
import { countNotes, insertAndFail, insertNote, readNote, readNoteLong } from '../support/operations.ts';
import { ADA, openStoreOn } from '../support/store.ts';

const OURS = new URL('../support/operations.ts', import.meta.url).href;
const ALL = new URL('../../src/operations.ts', import.meta.url).href;

describe('The store of a worker', { concurrency: true }, () => {
  it('A write of one worker can be read by another, in short and in long reads, when it was answered', async (t) => {
    const { one, other } = await openWorkers(t, OURS);
    for (let round = 0; round < 20; round++) {
      await one.write(insertNote, `note${round}`);
      assert.equal(await other.read(readNote, `note${round}`), '0');
      assert.equal(await other.read(readNoteLong, `note${round}`), '0');
    }
  });

  it('A write that fails in the primary fails in its worker for the same reason, and changes nothing', async (t) => {
    const { one } = await openWorkers(t, OURS);
    await assert.rejects(
      one.write(insertAndFail, { name: 'note', how: 'failure' }),
      (error) => error instanceof Failure && error.data.error === 'forbidden',
    );
    await assert.rejects(one.write(insertAndFail, { name: 'note', how: 'fault' }), /The test is at fault/);
    assert.equal(await one.read(readNote, 'note'), null);
  });

  it('A write that is traced tells its worker what ran in the primary, whether it succeeds or fails', async (t) => {
    const { one } = await openWorkers(t, OURS);
    const [noted] = await Promise.all([
      verbsNotedBy(() => one.write(insertNote, 'one')),
      one.write(insertNote, 'two'),
    ]);
    assert.deepEqual(noted, ['insert', 'COMMIT']);
    const failing = () =>
      assert.rejects(
        one.write(insertAndFail, { name: 'three', how: 'failure' }),
        (error) => error instanceof Failure && error.data.error === 'forbidden',
      );
    assert.deepEqual(new Set(await verbsNotedBy(failing)), new Set(['insert', 'COMMIT']));
    assert.equal(await one.read(readNote, 'three'), null);
  });

  it('What a write announces reaches every worker once, and its own worker before the write is answered', async (t) => {
    const { one, other } = await openWorkers(t, ALL);
    const { id } = await one.write(createAccount, ADA);
    const heard: Announcement[][] = [[], []];
    one.onAnnouncement((announcement) => heard[0]?.push(announcement));
    const isHeard = Promise.withResolvers<void>();
    other.onAnnouncement((announcement) => {
      heard[1]?.push(announcement);
      isHeard.resolve();
    });
    await one.write(setRole, { account: 'ada', role: 'admin', now: 0 });
    const expected = [{ topic: 'account', key: id }];
    assert.deepEqual(heard[0], expected);
    await isHeard.promise;
    assert.deepEqual(heard[1], expected);
  });

  it('A read sees what another process has committed after an earlier read of the same turn', async (t) => {
    const { one, file } = await openWorkers(t, OURS);
    const other = new DatabaseSync(file, { timeout: 5_000 });
    t.after(() => other.close());
    const counts: Promise<number>[] = [];
    const isOver = Promise.withResolvers<void>();
    // Timers that are due together run in one turn, as the callbacks of several connections do.
    setTimeout(() => {
      counts.push(one.read(countNotes, ''));
    }, 1);
    setTimeout(() => {
      other.exec("INSERT INTO secrets (name, value) VALUES ('note', '0')");
      counts.push(one.read(countNotes, ''));
      isOver.resolve();
    }, 1);
    for (const end = performance.now() + 5; performance.now() < end; );
    await isOver.promise;
    const [before, after] = await Promise.all(counts);
    assert.equal(after, (before ?? 0) + 1);
  });

  it('Calls beyond the limit of a peer are refused as busy, and those of a lost peer fail', async () => {
    const peer = new Peer({ send: () => {}, onMessage: () => {} }, 2);
    const waiting = [peer.call('write', null), peer.call('write', null)];
    await assert.rejects(
      peer.call('write', null),
      (error) => error instanceof Failure && error.data.error === 'busy',
    );
    const lost = Promise.allSettled(waiting);
    peer.lose(new Error('It ended.'));
    assert.deepEqual(
      (await lost).map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await assert.rejects(peer.call('write', null), /It ended/);
  });
});

/** The store of a primary and those of two workers, linked as processes are but in this one. */
async function openWorkers(t: TestContext, operationsUrl: string) {
  const file = await newSqliteFile(t);
  const store = await openStoreOn(t, { kind: 'sqlite', file }, { operationsUrl });
  const operations = await loadOperations(operationsUrl);
  const open = () => {
    const [primary, worker] = linkedPeers();
    answerWorker(worker, store, operations);
    store.onAnnouncement((announcement) => worker.notify('announcements', [announcement]));
    const opened = openWorkerStore({ file, operationsUrl, primary });
    t.after(() => opened.close());
    return opened;
  };
  return { one: open(), other: open(), file };
}

/** Two sides of one link. What is sent arrives as a copy, in a later turn and outside of the request that sends it. */
function linkedPeers(): readonly [Peer, Peer] {
  const listeners: ((message: unknown) => void)[] = [];
  const side = (own: number) =>
    new Peer({
      send: (message: PeerMessage) => {
        const copy: unknown = structuredClone(message);
        outsideRequests(() => setImmediate(() => listeners[1 - own]?.(copy)));
      },
      onMessage: (listener) => {
        listeners[own] = listener;
      },
    });
  return [side(0), side(1)];
}
