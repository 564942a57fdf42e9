import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashSync } from '@node-rs/argon2';
import { ARGON2 } from '../../src/auth/hashing/parameters.ts';
import { HashingPool } from '../../src/auth/hashing/pool.ts';
import { Failure } from '../../src/domain/failure.ts';
import { PASSWORD } from '../support/client.ts';

const CHATTY = new URL('../support/chatty-hashing-thread.ts', import.meta.url);
const FORGING = new URL('../support/forging-hashing-thread.ts', import.meta.url);

const HASH = hashSync(PASSWORD, ARGON2);
/** Verifying against it ends the thread by an error. */
const NO_HASH = '$argon2id$v=19$m=19456,t=2,p=1$';

/** The niceness of each thread of this process (proc_pid_stat(5)). */
function nicenesses(): number[] {
  return readdirSync('/proc/self/task').map((thread) => {
    const [, afterName = ''] = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ');
    return Number(afterName.split(' ')[16]);
  });
}

describe('The hashing threads', { concurrency: true }, () => {
  it('come after all others of the process, which keep their priority', async (t) => {
    await newPool(t).hash(PASSWORD);
    const own = getPriority();
    assert.ok(nicenesses().includes(Math.max(own, 10)), `threads of niceness ${nicenesses()}`);
    assert.equal(getPriority(), own);
  });

  it('go on after one died: the jobs that it had fail, and a new one does those that wait', async (t) => {
    const pool = newPool(t);
    const first = pool.verify(HASH, PASSWORD);
    // These four are given to the thread together.
    const lost = [NO_HASH, HASH, HASH, HASH].map((hash) => pool.verify(hash, PASSWORD));
    const later = [PASSWORD, 'wrong password', PASSWORD].map((password) => pool.verify(HASH, password));
    assert.equal(await first, true);
    for (const each of lost) await assert.rejects(each, /of no known format/);
    assert.deepEqual(await Promise.all(later), [true, false, true]);
    await assert.rejects(pool.verify(NO_HASH, PASSWORD));
    assert.match(await pool.hash(PASSWORD), /^\$argon2id\$/);
  });

  it('take 256 waiting jobs, refuse the 257th as busy at once, and take more when some are done', async (t) => {
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

  it('have a half of their queue for known devices, which strangers cannot fill', async (t) => {
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

  it('take turns between sources; one that fills the queue gives up its last place to another', async (t) => {
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

  it('answer by themselves, whatever others post into their channel', async (t) => {
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
    'results alone',
    'no results',
    'more results than jobs',
    'a text',
    'a one',
    'what a watcher posts',
    'nothing',
  ]) {
    it(`that answer with ${forgery} say yes to nobody, and are replaced`, async (t) => {
      const pool = newPool(t, FORGING);
      assert.equal(await pool.verify(HASH, 'whatever'), true);
      const forged = pool.verify(HASH, forgery);
      const later = pool.verify(HASH, 'whatever');
      await assert.rejects(forged, NO_ANSWER);
      assert.equal(await later, true, 'the next thread does what waited');
    });
  }

  it('that end without an error fail what they had, and are replaced', async (t) => {
    const pool = newPool(t, FORGING);
    const lost = pool.verify(HASH, 'the end of the thread');
    const later = pool.verify(HASH, 'whatever');
    await assert.rejects(lost, /ended unexpectedly/);
    assert.equal(await later, true);
  });

  it('that answer a number again say yes to nobody', async (t) => {
    const pool = newPool(t, FORGING);
    const first = pool.verify(HASH, 'no, and then yes');
    const next = pool.verify(HASH, 'whatever');
    assert.equal(await first, false);
    await assert.rejects(next, NO_ANSWER);
  });

  it('that answer while they have no job are replaced', async (t) => {
    const pool = newPool(t, FORGING);
    assert.equal(await pool.verify(HASH, 'no, and then yes'), false);
    await sleep(100);
    assert.equal(await pool.verify(HASH, 'is this your first job?'), true);
    assert.equal(await pool.verify(HASH, 'is this your first job?'), false);
  });

  it('that answer a hash with yes fail it', async (t) => {
    await assert.rejects(newPool(t, FORGING).hash(PASSWORD), NO_ANSWER);
  });
});

const BUSY = /Too many sign-ins are under way/;
const NO_ANSWER = /sent what is no answer to its jobs/;

/** Of one thread, unless more are asked for, so that the order of what it does is known. */
function newPool(t: TestContext, module?: URL, size = 1): HashingPool {
  const pool = new HashingPool(size, module);
  t.after(() => pool.close());
  return pool;
}
