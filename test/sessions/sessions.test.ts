import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { call, login, newAccount, refresh } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { newWithRole } from '../support/people.ts';
import { describeInTurn, describeOnService, type InTurn } from '../support/suite.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const NOW = Date.UTC(2030, 0, 1);

onEveryEngine('Lifetimes of sessions', (engine) => {
  describeOnService(
    engine,
    'while its clock moves',
    (service) =>
      // One after another: each moves the clock of all.
      describe('one after another', { concurrency: false }, () => {
        it('An access token lives 15 minutes', async () => {
          const { url, passTime } = service();
          const { token } = await newAccount(url);
          const me = () => call(url, 'GET', '/api/users/me', { token });
          passTime(15 * MINUTE - 5 * SECOND);
          assert.equal((await me()).status, 200);
          passTime(5 * SECOND);
          assertFailure(await me(), 401, 'token_expired');
        });

        it('The immediate parent of a refresh token gets the same successor for 10 seconds', async () => {
          // The clock stands still but for what passes here: a slow machine has no say.
          const { url, passTime } = service();
          const { refreshToken } = await newAccount(url);
          const { body } = await refresh(url, refreshToken);
          for (const wait of [3, 3, 3]) {
            passTime(wait * SECOND);
            const again = await refresh(url, refreshToken);
            assert.equal(again.body.data.refresh_token, body.data.refresh_token);
          }
          assert.equal((await refresh(url, body.data.refresh_token)).status, 200);
        });

        it('A session ends when the parent comes back after the 10 seconds', async () => {
          const { url, passTime } = service();
          const { refreshToken } = await newAccount(url);
          const { body } = await refresh(url, refreshToken);
          passTime(11 * SECOND);
          assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
          assertFailure(await refresh(url, body.data.refresh_token), 401, 'token_revoked');
          assertFailure(
            await call(url, 'GET', '/api/users/me', { token: body.data.token }),
            401,
            'token_revoked',
          );
        });

        it('Each rotation has its own 10 seconds, however long ago the login was', async () => {
          // The clock stands still but for what passes here, so that the last millisecond is met.
          const { url, passTime } = service();
          let { refreshToken } = await newAccount(url);
          for (const wait of [MINUTE, DAY]) {
            passTime(wait);
            const { body } = await refresh(url, refreshToken);
            passTime(10 * SECOND);
            const again = await refresh(url, refreshToken);
            assert.equal(again.body.data?.refresh_token, body.data.refresh_token, `rotated after ${wait} ms`);
            // The repeated request was no rotation: it began no other 10 seconds.
            if (wait === MINUTE) refreshToken = body.data.refresh_token;
          }
          passTime(1);
          assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
        });

        it('A session ends when a parent comes back whose successor was used, even at once', async () => {
          const { url } = service();
          const { refreshToken } = await newAccount(url);
          const { body } = await refresh(url, refreshToken);
          const next = await refresh(url, body.data.refresh_token);
          assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
          assertFailure(await refresh(url, next.body.data.refresh_token), 401, 'token_revoked');
        });

        it('A session that ends leaves another session of the account', async () => {
          const { url, passTime } = service();
          const { username, refreshToken } = await newAccount(url);
          const other = await call(url, 'POST', '/api/auth/login', {
            body: { username, password: 'correct horse battery' },
          });
          await refresh(url, refreshToken);
          passTime(11 * SECOND);
          assertFailure(await refresh(url, refreshToken), 401, 'token_revoked');
          assert.equal((await refresh(url, other.body.data.refresh_token)).status, 200);
        });

        it('A session ends 14 days after its last refresh', async () => {
          const { url, passTime } = service();
          const { refreshToken } = await newAccount(url);
          passTime(14 * DAY - MINUTE);
          const { status, body } = await refresh(url, refreshToken);
          assert.equal(status, 200);
          passTime(14 * DAY);
          assertFailure(await refresh(url, body.data.refresh_token), 401, 'token_expired');
        });

        it('A session ends 30 days after its login, however much it is used, and says how long is left', async () => {
          const { url, passTime } = service();
          let { refreshToken } = await newAccount(url);
          const left: number[] = [];
          for (const wait of [10 * DAY, 10 * DAY, 9 * DAY, DAY - MINUTE]) {
            passTime(wait);
            const { body } = await refresh(url, refreshToken);
            refreshToken = body.data.refresh_token;
            left.push(Math.round(body.data.refresh_expires_in / 60));
          }
          const minutes = (days: number) => days * 24 * 60;
          assert.deepEqual(left, [minutes(14), minutes(10), minutes(1), 1]);
          const { body } = await refresh(url, refreshToken);
          passTime(MINUTE);
          assertFailure(
            await call(url, 'GET', '/api/users/me', { token: body.data.token }),
            401,
            'token_revoked',
          );
          assertFailure(await refresh(url, body.data.refresh_token), 401, 'token_expired');
        });
      }),
    {},
    { clock: () => NOW },
  );

  const suite = (service: () => InTurn) => {
    it('A session beyond SESSION_LIMIT ends the living one that began first, and no other', async () => {
      const { url, passTime } = service();
      const other = await newAccount(url);
      const { username, id, refreshToken } = await newAccount(url);
      const admin = await newWithRole(service(), 'admin');
      const statusOf = async (token: string) => (await call(url, 'GET', '/api/users/me', { token })).status;
      const begun: string[] = [];
      for (let each = 0; each < 2; each++) {
        passTime(SECOND);
        begun.push((await login(url, username)).token);
      }
      passTime(SECOND);
      const { refresh_token: first } = (await refresh(url, refreshToken)).body.data;
      begun.push((await login(url, username)).token);
      assertFailure(await refresh(url, first), 401, 'token_revoked');
      assert.deepEqual(await Promise.all(begun.map(statusOf)), [200, 200, 200]);
      passTime(SECOND);
      begun.push((await login(url, username)).token);
      assert.deepEqual(await Promise.all(begun.map(statusOf)), [401, 200, 200, 200]);
      assert.equal(await statusOf(other.token), 200);
      const trail = await call(url, 'GET', `/api/audit?event=sessions_ended&account=${id}`, {
        token: admin.token,
      });
      const ended = trail.body.data.items.map(({ account, detail }: { account: object; detail: object }) => [
        account,
        detail,
      ]);
      assert.deepEqual(
        ended,
        Array(2).fill([
          { id, username },
          { sessions: '1', because: 'too many' },
        ]),
      );
    });

    it('A session that ended or expired takes no place of a living one', async () => {
      const { url, passTime } = service();
      const { username, refreshToken } = await newAccount(url);
      passTime(DAY);
      await login(url, username);
      let successor = refreshToken;
      for (let each = 0; each < 2; each++) {
        passTime(7 * DAY);
        successor = (await refresh(url, successor)).body.data.refresh_token;
      }
      passTime(DAY);
      await login(url, username);
      const { token } = await login(url, username);
      await call(url, 'POST', '/api/auth/logout', { token });
      await login(url, username);
      assert.equal((await refresh(url, successor)).status, 200);
    });

    it('Sessions that begin at once stay within SESSION_LIMIT', async () => {
      const { url, passTime } = service();
      const { username } = await newAccount(url);
      // The session of the new account is then the first one.
      passTime(SECOND);
      const tokens = (await Promise.all(Array.from({ length: 8 }, () => login(url, username)))).map(
        ({ token }) => token,
      );
      const answers = await Promise.all(tokens.map((token) => call(url, 'GET', '/api/users/me', { token })));
      assert.equal(answers.filter(({ status }) => status === 200).length, 3);
    });
  };
  describeInTurn(engine, 'with three sessions at most', suite, { SESSION_LIMIT: '3' });
});
