import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { MessagePort } from 'node:worker_threads';
import { disableAccount } from '../../src/users/administer.ts';
import { call, newAccount, newName } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startService } from '../support/service.ts';

/** What every verification costs: the parameters of the hash that it is done against. */
const FULL_COST = '$argon2id$v=19$m=19456,t=2,p=1$';

interface Job {
  readonly kind: string;
  readonly hash?: string;
  readonly password: string;
}

/** All jobs that this process sent to its hashing threads. */
const jobs: Job[] = [];
const { postMessage } = MessagePort.prototype;
mock.method(MessagePort.prototype, 'postMessage', function (this: MessagePort, ...sent: unknown[]) {
  const [message] = sent;
  if (typeof message === 'object' && message !== null && 'jobs' in message && Array.isArray(message.jobs))
    jobs.push(...message.jobs);
  return Reflect.apply(postMessage, this, sent);
});

onEveryEngine('A login that fails', (engine) => {
  it('costs one verification of full cost, whether the name is known, unknown or of a disabled account', async (t) => {
    const { url, store } = await startService(t, engine);
    const [known, disabled] = [await newAccount(url), await newAccount(url)];
    await store.write(disableAccount, { account: disabled.username, now: Date.now() });
    const names = {
      'a known name': known.username,
      'a known address': known.email,
      'an unknown name': newName(),
      'an unknown address': `${newName()}@example.org`,
      'a name that nobody can have': '',
      'a disabled name': disabled.username,
      'a disabled address': disabled.email,
    };
    for (const [title, username] of Object.entries(names)) {
      const password = `wrong ${newName()}`;
      const answer = await call(url, 'POST', '/api/auth/login', { body: { username, password } });
      assertFailure(answer, 401, 'bad_credentials');
      const done = jobs.filter((job) => job.password === password);
      assert.deepEqual(
        done.map(({ kind, hash }) => [kind, hash?.slice(0, FULL_COST.length)]),
        [['verify', FULL_COST]],
        title,
      );
    }
  });
});
