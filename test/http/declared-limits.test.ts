import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SITE } from '../support/authenticator.ts';
import { call, newAccount } from '../support/client.ts';
import { declaredRoutes } from '../support/declared.ts';
import { onOneEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { goodRequest, NOW } from '../support/good-request.ts';
import { freshBody } from '../support/samples.ts';
import { describeOnService } from '../support/suite.ts';

/** The operation whose sample spends each limit, and so nothing but the limit ends it. */
const SPENDERS = {
  mailedLinks: 'verifyEmail',
  passwordResets: 'resetPassword',
  nameChanges: 'updateSession',
  profileChanges: 'updateMe',
  labelRenames: 'renameTag',
  factor_change: 'beginTotp',
  passkey_addition: 'beginPasskeyRegistration',
  export: 'exportAccount',
  writes: 'createContent',
} as const;
/** More than any of them allows an hour. */
const MOST = 1_100;
const SETTINGS = {
  SMTP_URL: 'log',
  PUBLIC_URL: SITE.origin,
  TRUST_PROXY: '127.0.0.1',
  WRITES_PER_HOUR: '20',
};

const DECLARED = await declaredRoutes(SETTINGS);

// What each limit counts is tested on every engine, in services/limits.test.ts.
onOneEngine('Limits that routes declare', (engine) =>
  describeOnService(
    engine,
    'on one service',
    (service) => {
      for (const [limit, spender] of Object.entries(SPENDERS))
        it(`A spent limit "${limit}" refuses each route that names it`, async () => {
          const { url } = service();
          const owner = await newAccount(url);
          const headers = { 'x-forwarded-for': `198.51.100.${Object.keys(SPENDERS).indexOf(limit)}` };
          const named = DECLARED.filter(({ limits }) => limits.some((each) => each === limit));
          const requests = [];
          for (const route of named)
            requests.push({ route, ...(await goodRequest(service(), route, owner)) });
          const spending = requests.find(({ route }) => route.operationId === spender);
          assert.ok(spending, `${spender} names the limit.`);
          const { method, operation } = spending.route;
          const spend = () =>
            call(url, method, spending.path, { token: owner.token, headers, body: freshBody(operation) });
          let spent = 0;
          while ((await spend()).status !== 429 && spent < MOST) spent++;
          assert.ok(spent > 0 && spent < MOST, `${spent} were answered.`);
          for (const { route, path, body } of requests) {
            const answer = await call(url, route.method, path, { token: owner.token, headers, body });
            assertFailure(answer, 429, 'too_many_requests');
          }
          assert.equal(
            (await call(url, 'GET', '/api/users/me', { token: owner.token, headers })).status,
            200,
          );
        });
    },
    SETTINGS,
    { clock: () => NOW },
  ),
);
