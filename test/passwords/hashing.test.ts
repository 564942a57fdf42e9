import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashSync } from '@node-rs/argon2';
import { Failure } from '../../src/domain/failure.ts';
import { ARGON2 } from '../../src/passwords/hashing/parameters.ts';
import { HashingPool } from '../../src/passwords/hashing/pool.ts';
import { PASSWORD } from '../support/client.ts';

const CHATTY = new URL('../support/chatty-hashing-thread.ts', import.meta.url);
const FORGING = new URL('../support/forging-hashing-thread.ts', import.meta.url);

const HASH = hashSync(PASSWORD, ARGON2);
/** No thread can verify against it. */
const NO_HASH = '$argon2id$v=19$m=19456,t=2,p=1$';

/** The niceness of each thread of this process (proc_pid_stat(5)). */
function nicenesses(): number[] {
  return readdirSync('/proc/self/task').flatMap((thread) => {
    try {
      const [, afterName = ''] = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ');
      return [Number(afterName.split(' ')[16])];
    } catch {
      // A thread of another test ended meanwhile.
      return [];
    }
  });
}

describe('Hashing threads', { concurrency: true }, () => {
  it('The hashing threads have a lower priority than the rest of the process', async (t) => {
    await newPool(t).hash(PASSWORD);
    const own = getPriority();
    assert.ok(nicenesses().includes(Math.max(own, 10)), `threads of niceness ${nicenesses()}`);
    assert.equal(getPriority(), own);
  });

  it('A hashing thread fails a job that it cannot do, and does the others given with it', async (t) => {
    const pool = newPool(t);
    const first = pool.verify(HASH, PASSWORD);
    // These four are given to the thread together.
    const together = [NO_HASH, HASH, HASH, HASH].map((hash) => pool.verify(hash, PASSWORD));
    const later = [PASSWORD, 'wrong password', PASSWORD].map((password) => pool.verify(HASH, password));
    assert.equal(await first, true);
    await assert.rejects(together[0] ?? first, /of no known format/);
    assert.deepEqual(await Promise.all(together.slice(1)), [true, true, true]);
    assert.deepEqual(await Promise.all(later), [true, false, true]);
    assert.match(await pool.hash(PASSWORD), /^\$argon2id\$/);
  });

  it('The hashing threads take 256 waiting jobs, and refuse the next as busy', async (t) => {
    const pool = newPool(t);
    let done = 0;
    const count = () => {
      done += 1;
    };
    const running = pool.hash(PASSWORD).then(count);
    const waiting = Array.from({ length: 256 }, () => pool.hash(PASSWORD).then(count));
    let refused = 0;
    for (const each of waiting) {
      each.catch(() => {
        refused += 1;
      });
    }
    await assert.rejects(pool.hash(PASSWORD), (error: unknown) => {
      assert.ok(error instanceof Failure);
      assert.deepEqual([error.data.error, error.data.retryAfter], ['busy', 1]);
      return true;
    });
    assert.deepEqual([done, refused], [0, 0], 'before any was done, and no other');
    await running;
    const more = pool.verify(HASH, PASSWORD);
    more.catch(() => {});
    await waiting[0];
    await pool.close();
    await assert.rejects(more, /ended with the service/);
    assert.ok(done < 257, 'what waited for a thread was not done any more');
  });

  it('Half of the hashing queue is for known devices, and strangers cannot fill it', async (t) => {
    const pool = newPool(t, FORGING);
    const done: string[] = [];
    const ask = (source: string, isKnown: boolean) =>
      pool.verify(HASH, PASSWORD, { source, isKnown }).then(() => void done.push(source));
    const strangers = Array.from({ length: 257 }, (_, index) => ask(`stranger ${index}`, false));
    await assert.rejects(ask('one stranger more', false), BUSY);
    await ask('known', true);
    assert.ok(done.length < 16, `behind ${done.length} strangers`);
    await Promise.all(strangers);
  });

  it('The hashing threads alternate between sources, and a source that fills the queue gives up a place', async (t) => {
    const pool = newPool(t, FORGING);
    const done: string[] = [];
    const ask = (source: string) =>
      pool.verify(HASH, PASSWORD, { source, isKnown: false }).then(() => void done.push(source));
    const many = Array.from({ length: 257 }, () => ask('many'));
    const last = assert.rejects(many.at(-1) ?? Promise.resolve(), BUSY);
    await assert.rejects(ask('many'), BUSY);
    await ask('one');
    assert.ok(done.length < 16, `behind ${done.length} of the other source`);
    await last;
    await Promise.all(many.slice(0, -1));
    assert.equal(done.length, 257);
  });

  it('A hashing thread answers only for itself, whatever others post into its channel', async (t) => {
    const pool = newPool(t, CHATTY, 2);
    const passwords = ['wrong password', PASSWORD, 'wrong password', PASSWORD, PASSWORD, 'wrong password'];
    for (let round = 0; round < 3; round++) {
      assert.deepEqual(
        await Promise.all(passwords.map((password) => pool.verify(HASH, password))),
        passwords.map((password) => password === PASSWORD),
      );
    }
  });

  for (const forgery of [
    'a number that was not given yet',
    'a number that was answered before',
    'no number',
    'outcomes alone',
    'no outcomes',
    'more outcomes than jobs',
    'a text',
    'a one',
    'an outcome that is nearly yes',
    'what a watcher posts',
    'nothing',
  ]) {
    it(`A hashing thread that answers with ${forgery} verifies nobody and is replaced`, async (t) => {
      const pool = newPool(t, FORGING);
      assert.equal(await pool.verify(HASH, 'whatever'), true);
      const forged = pool.verify(HASH, forgery);
      const later = pool.verify(HASH, 'whatever');
      await assert.rejects(forged, NO_ANSWER);
      assert.equal(await later, true, 'the next thread does what waited');
    });
  }

  it('A hashing thread that ends fails its jobs as unavailable and is replaced', async (t) => {
    const pool = newPool(t, FORGING);
    const first = pool.verify(HASH, 'whatever');
    const lost = ['the end of the thread', 'a', 'b', 'c'].map((password) => pool.verify(HASH, password));
    const later = ['d', 'e', 'f'].map((password) => pool.verify(HASH, password));
    assert.equal(await first, true);
    for (const each of lost)
      await assert.rejects(each, lostBy('The forging-hashing-thread ended unexpectedly.'));
    assert.deepEqual(await Promise.all(later), [true, true, true], 'a new thread does what waited');
  });

  it('A hashing thread that repeats the number of an answer verifies nobody', async (t) => {
    const pool = newPool(t, FORGING);
    const first = pool.verify(HASH, 'no, and then yes');
    const next = pool.verify(HASH, 'whatever');
    assert.equal(await first, false);
    await assert.rejects(next, NO_ANSWER);
  });

  it('A hashing thread that answers without a job is replaced', async (t) => {
    const pool = newPool(t, FORGING);
    assert.equal(await pool.verify(HASH, 'no, and then yes'), false);
    // The second answer arrives soon. On a busy machine it may find the thread with a job, which then fails.
    do await sleep(100);
    while (!(await pool.verify(HASH, 'is this your first job?').catch(() => false)));
    assert.equal(await pool.verify(HASH, 'is this your first job?'), false);
  });

  it('A hashing thread that answers a hash with yes fails the job', async (t) => {
    await assert.rejects(newPool(t, FORGING).hash(PASSWORD), NO_ANSWER);
  });
});

const BUSY = /Too many sign-ins are under way/;
const NO_ANSWER = lostBy('The forging-hashing-thread sent what is no answer to the calls that wait.');

function lostBy(reason: string) {
  return ({ data, cause }: Failure) => data.error === 'unavailable' && (cause as Error).message === reason;
}

/** Of one thread, unless more are asked for, so that the order of what it does is known. */
function newPool(t: TestContext, module?: URL, size = 1): HashingPool {
  const pool = new HashingPool(size, module);
  t.after(() => pool.close());
  return pool;
}
