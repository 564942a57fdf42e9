import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Answer, call, newAccount, newItem, newName, PASSWORD, refresh } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { describeOnService } from '../support/suite.ts';

onEveryEngine('Requests at once', (engine) =>
  describeOnService(engine, 'on one service', (service) => {
    const register = (username: string, email = `${newName()}@example.org`) =>
      call(service().url, 'POST', '/api/auth/register', { body: { username, email, password: PASSWORD } });
    const oneWon = (answers: readonly Answer[], field: string) => {
      const [winners, losers] = [
        answers.filter(({ status }) => status === 200),
        answers.filter(({ status }) => status !== 200),
      ];
      assert.equal(winners.length, 1);
      for (const loser of losers) assertFailure(loser, 400, 'taken', { field, rule: 'unique' });
      return winners[0]?.body.data;
    };
    const total = async (keyword: string) => {
      const { token } = await newAccount(service().url);
      return (await call(service().url, 'GET', `/api/users?keyword=${keyword}`, { token })).body.data.total;
    };

    it('Of 32 registrations of one name at once, one makes an account and 31 get 400', async () => {
      const name = newName();
      const answers = await Promise.all(Array.from({ length: 32 }, () => register(name)));
      oneWon(answers, 'username');
      assert.equal(await total(name), 1);
    });

    it('Of 32 registrations of one e-mail address at once, one makes an account', async () => {
      const email = `${newName()}@example.org`;
      const answers = await Promise.all(
        Array.from({ length: 32 }, (_, each) => register(newName(), each % 2 ? email : email.toUpperCase())),
      );
      oneWon(answers, 'email');
      assert.equal(await total(email), 1);
    });

    it('Look-alike spellings of one name registered at once make one account, and all log in to it', async () => {
      const name = `kiss\u00e9${newName('')}`;
      const spellings = [
        name,
        name.toUpperCase(),
        name.replace('ss', '\u00df'),
        name.replace('k', '\u212a'),
        name.replace('i', '\uff49'),
        name.normalize('NFD'),
        name.replace('s', '\u017f'),
      ];
      const { id } = oneWon(await Promise.all(spellings.map((spelling) => register(spelling))), 'username');
      for (const username of spellings) {
        const { body } = await call(service().url, 'POST', '/api/auth/login', {
          body: { username, password: PASSWORD },
        });
        assert.equal(body.data.user.id, id, username);
      }
    });

    it('Sixteen refreshes of one token at once leave one living successor', async () => {
      const { refreshToken } = await newAccount(service().url);
      const answers = await Promise.all(
        Array.from({ length: 16 }, () => refresh(service().url, refreshToken)),
      );
      const successors = new Set(answers.map(({ body }) => body.data.refresh_token));
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array(16).fill(200),
      );
      assert.equal(successors.size, 1);
      const [successor] = successors;
      assert.equal((await refresh(service().url, successor)).status, 200);
    });

    it('Refreshes of a token and its successor at once end the session when the parent comes late', async () => {
      const { refreshToken } = await newAccount(service().url);
      const child = (await refresh(service().url, refreshToken)).body.data.refresh_token;
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, each) => refresh(service().url, each % 2 ? refreshToken : child)),
      );
      assert.ok(
        answers.some(({ status }) => status === 401),
        'the parent came after its grandchild was made',
      );
      for (const token of [refreshToken, child])
        assertFailure(await refresh(service().url, token), 401, 'token_revoked');
    });

    it('Each read of an item under concurrent changes is a whole record', async () => {
      const { url } = service();
      const { token } = await newAccount(url);
      const { id } = await newItem(url, token, { title: '0', content: '0' });
      const change = (each: number) =>
        call(url, 'PUT', `/api/content/${id}`, { token, body: { title: `${each}`, content: `${each}` } });
      const read = () => call(url, 'GET', `/api/content/${id}`);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, each) => (each % 2 ? change(each) : read())),
      );
      for (const { status, body } of answers) {
        assert.equal(status, 200);
        assert.equal(body.data.title, body.data.content);
      }
      assert.equal((await read()).body.data.version, 21);
    });
  }),
);
