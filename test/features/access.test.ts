import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Scope } from '../../src/domain/account.ts';
import type { App } from '../../src/http/server.ts';
import { Authenticator, SITE } from '../support/authenticator.ts';
import { type Account, call, login, newAccount, newItem, newName, PASSWORD } from '../support/client.ts';
import { ROUTES } from '../support/contract.ts';
import { askToChange } from '../support/email.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { newPersonalToken, newWithRole } from '../support/people.ts';
import { beginTotp, codeOf, guard } from '../support/second-factor.ts';
import { type RunningService, startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';
import { newPath } from '../support/target-of-route.ts';
import { forgerOf } from '../support/tokens.ts';

/** `own` is for whoever signed in, about what is theirs: here each caller asks for something of their own, and each admin too. */
type Need = 'public' | 'signed_in' | 'own' | 'author' | 'admin' | 'refresh_token';

/** Who may do what, written down a second time: a route that is missing here fails the suite. */
const NEEDS: Record<string, Need> = {
  'POST /api/auth/register': 'public',
  'POST /api/auth/register/resend': 'public',
  'POST /api/auth/login': 'public',
  'POST /api/auth/login/second-factor': 'public',
  'POST /api/auth/restore': 'public',
  'POST /api/auth/refresh': 'refresh_token',
  'POST /api/auth/logout': 'signed_in',
  'GET /api/auth/sessions': 'signed_in',
  'DELETE /api/auth/sessions': 'signed_in',
  'DELETE /api/auth/sessions/{id}': 'own',
  'PUT /api/auth/sessions/{id}': 'own',
  'POST /api/auth/tokens': 'signed_in',
  'GET /api/auth/tokens': 'signed_in',
  'DELETE /api/auth/tokens/{id}': 'own',
  'PUT /api/auth/tokens/{id}': 'own',
  'POST /api/auth/passkeys/options': 'signed_in',
  'POST /api/auth/passkeys': 'signed_in',
  'GET /api/auth/passkeys': 'signed_in',
  'DELETE /api/auth/passkeys/{id}': 'own',
  'PUT /api/auth/passkeys/{id}': 'own',
  'POST /api/auth/login/passkey/options': 'public',
  'POST /api/auth/login/passkey': 'public',
  'POST /api/auth/totp': 'own',
  'POST /api/auth/totp/confirm': 'own',
  'DELETE /api/auth/totp': 'own',
  'POST /api/auth/recovery-codes': 'own',
  'GET /api/auth/second-factors': 'signed_in',
  'GET /api/auth/settings': 'public',
  'POST /api/auth/password': 'signed_in',
  'POST /api/auth/password/forgotten': 'public',
  'POST /api/auth/password/reset': 'public',
  'GET /api/auth/events': 'signed_in',
  'POST /api/auth/email': 'signed_in',
  'POST /api/auth/email/change/resend': 'own',
  'DELETE /api/auth/email/change': 'own',
  'POST /api/auth/email/verification': 'signed_in',
  'POST /api/auth/email/verify': 'public',
  'POST /api/auth/email/confirm': 'public',
  'POST /api/auth/email/revert': 'public',
  'POST /api/invitations': 'admin',
  'GET /api/invitations': 'admin',
  'DELETE /api/invitations/{id}': 'admin',
  'GET /api/users': 'signed_in',
  'GET /api/users/me': 'signed_in',
  'PUT /api/users/me': 'signed_in',
  'DELETE /api/users/me': 'signed_in',
  'GET /api/users/me/export': 'signed_in',
  'GET /api/users/{id}': 'admin',
  'DELETE /api/users/{id}': 'admin',
  'PUT /api/users/{id}': 'admin',
  'DELETE /api/users/{id}/sessions': 'admin',
  'GET /api/users/{id}/sessions': 'admin',
  'DELETE /api/users/{id}/sessions/{session_id}': 'admin',
  'GET /api/users/{id}/tokens': 'admin',
  'DELETE /api/users/{id}/tokens/{token_id}': 'admin',
  'DELETE /api/users/{id}/second-factors': 'admin',
  'GET /api/audit': 'admin',
  'POST /api/content': 'signed_in',
  'GET /api/content': 'public',
  'GET /api/content/{id}': 'public',
  'PUT /api/content/{id}': 'author',
  'DELETE /api/content/{id}': 'author',
  'GET /.well-known/jwks.json': 'public',
  'GET /': 'public',
  'GET /livez': 'public',
  'GET /readyz': 'public',
};

/** Of a challenge that is not ours. */
const STRANGE = new Authenticator();

const BODIES: Record<string, object | (() => object)> = {
  'POST /api/auth/login/second-factor': { challenge: 'none', code: '000000' },
  'POST /api/auth/register': { username: 'x' },
  'POST /api/auth/register/resend': { username: 'nobody', email: 'nobody@example.org' },
  'POST /api/auth/login': { username: 'nobody', password: PASSWORD },
  'POST /api/auth/restore': { username: 'nobody', password: PASSWORD },
  'POST /api/auth/tokens': { name: 'n', scope: 'read', expires_in_days: 1 },
  'POST /api/auth/passkeys': {
    name: 'n',
    response: STRANGE.create({ challenge: 'none', user: { id: 'none' } }),
  },
  'PUT /api/auth/sessions/{id}': { name: 'n' },
  'PUT /api/auth/tokens/{id}': { name: 'n' },
  'PUT /api/auth/passkeys/{id}': { name: 'n' },
  'POST /api/auth/login/passkey': { response: STRANGE.get({ challenge: 'none' }) },
  'POST /api/auth/password': { current_password: PASSWORD, new_password: PASSWORD },
  'POST /api/auth/password/forgotten': { email: 'nobody@example.org' },
  'POST /api/auth/password/reset': { token: 'none', new_password: PASSWORD },
  'PUT /api/users/me': { display_name: 'Ada' },
  // Of its own each time: few mails go to one address.
  'POST /api/auth/email': () => ({ email: `${newName()}@example.org` }),
  'POST /api/invitations': () => ({ email: `${newName()}@example.org`, role: 'member' }),
  'POST /api/auth/email/verify': { token: 'none' },
  'POST /api/auth/email/confirm': { token: 'none' },
  'POST /api/auth/email/revert': { token: 'none' },
  'PUT /api/users/{id}': { role: 'editor' },
  'POST /api/content': { title: 'T', content: 'C' },
  'PUT /api/content/{id}': { title: 'Changed' },
};

/** The clock of the services that prepare an account stands still, so that no code is too old. */
const NOW = Date.now();
const CLOCK = { clock: () => NOW };

/** What an account needs for a good answer, beside a body that it cannot know before. */
const PREPARED: Record<string, (url: string, owner: Account) => Promise<object | undefined>> = {
  'POST /api/auth/totp/confirm': async (url, { token }) => ({
    code: codeOf(await beginTotp(url, token), NOW),
  }),
  'DELETE /api/auth/totp': async (url, owner) => void (await guard(url, owner, NOW)),
  'POST /api/auth/recovery-codes': async (url, owner) => void (await guard(url, owner, NOW)),
  'POST /api/auth/email/change/resend': beginChange,
  'DELETE /api/auth/email/change': beginChange,
};

async function beginChange(url: string, { token }: Account): Promise<undefined> {
  await askToChange(url, token, `${newName()}@example.org`);
}

/** What personal access tokens may call, and with which scope; all else of what is not public is for people. */
const PROGRAMS: Record<string, Scope> = {
  'GET /api/users': 'read',
  'GET /api/users/me': 'read',
  'POST /api/content': 'write',
  'GET /api/content': 'read',
  'GET /api/content/{id}': 'read',
  'PUT /api/content/{id}': 'write',
  'DELETE /api/content/{id}': 'write',
};

/** What whoever may call a route is answered with, where that is not 200. */
const ANSWERED: Record<string, number> = {
  'POST /api/auth/passkeys': 400,
  'POST /api/auth/login/passkey': 401,
  'POST /api/auth/register': 400,
  'POST /api/auth/login': 401,
  'POST /api/auth/login/second-factor': 401,
  'POST /api/auth/restore': 401,
  'POST /api/auth/password/reset': 400,
  'POST /api/auth/email/verify': 400,
  'POST /api/auth/email/confirm': 400,
  'POST /api/auth/email/revert': 400,
};

const GUARDED = Object.entries(NEEDS)
  .filter(([, need]) => need !== 'public' && need !== 'refresh_token')
  .map(([route]) => route);

onEveryEngine('Access', (engine) => {
  it('is stated for every route of the document', () => {
    const documented = ROUTES.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(documented.sort(), Object.keys(NEEDS).sort());
  });

  describeOnService(
    engine,
    'on one service',
    (service) => {
      for (const [route, need] of Object.entries(NEEDS))
        it(`to ${route} is ${need}`, async () => {
          const author = await newAccount(service().url);
          const isPublic = need === 'public';
          const others = need !== 'refresh_token' && need !== 'admin';
          const cases: [string, Account | undefined, boolean][] = [
            ['nobody', undefined, isPublic],
            ['member', await newAccount(service().url), isPublic || need === 'signed_in' || need === 'own'],
            ['author', author, others],
            ['editor', await newWithRole(service(), 'editor'), others],
            ['admin', await newWithRole(service(), 'admin'), need !== 'refresh_token'],
          ];
          for (const [who, account, may] of cases) {
            const owner = (need === 'own' || need === 'admin') && account ? account : author;
            const answer = await knock(service(), route, owner, account?.token);
            if (may)
              assert.equal(answer.status, ANSWERED[route] ?? 200, `${who}: ${JSON.stringify(answer.body)}`);
            else if (who === 'nobody') assertFailure(answer, 401, 'token_missing');
            else if (need === 'refresh_token') assertFailure(answer, 401, 'token_invalid');
            else assertFailure(answer, 403, 'forbidden');
          }
        });

      for (const route of GUARDED)
        it(`to ${route} is refused to every token that is not ours, and never with a 500`, async () => {
          const author = await newWithRole(service(), 'admin');
          const { genuine, forgeries } = await forgerOf(service(), author.token);
          for (const [title, forge] of Object.entries(forgeries)) {
            const answer = await knock(service(), route, author, await forge(), 1);
            assert.equal(answer.body.data.error, 'token_invalid', title);
            assertFailure(answer, 401, 'token_invalid');
          }
          const refused = await knock(service(), route, author, author.refreshToken, 1);
          assertFailure(refused, 401, 'token_invalid');
          assert.match(refused.body.message ?? '', /^This is a refresh token,.* send the access token\.$/);
          const { status } = await knock(service(), route, author, await genuine());
          assert.equal(status, ANSWERED[route] ?? 200, 'one like ours');
        });
    },
    { SMTP_URL: 'log', PUBLIC_URL: SITE.origin },
    CLOCK,
  );

  it('is stated for personal access tokens where they may do anything at all', () => {
    const documented = ROUTES.filter(({ operation }) => operation.security?.some(isPersonal));
    assert.deepEqual(
      documented.map(({ method, path }) => `${method} ${path}`).sort(),
      Object.keys(PROGRAMS).sort(),
    );
  });

  describeOnService(
    engine,
    'with a personal access token',
    (service) => {
      for (const [route, need] of Object.entries(NEEDS)) {
        if (need === 'refresh_token' || (need === 'public' && ANSWERED[route] !== undefined)) continue;
        it(`to ${route} is ${PROGRAMS[route] ?? 'refused'}`, async () => {
          const admin = await newWithRole(service(), 'admin');
          const [read, write] = [
            await newPersonalToken(service().url, admin, 'read'),
            await newPersonalToken(service().url, admin),
          ];
          const [reading, writing] = [
            await knock(service(), route, admin, read),
            await knock(service(), route, admin, write),
          ];
          const scope = PROGRAMS[route];
          if (scope === undefined && need !== 'public') {
            for (const answer of [reading, writing]) {
              assertFailure(answer, 401, 'token_invalid');
              assert.match(
                answer.body.message ?? '',
                /^This is a personal access token, which may not do this/,
              );
            }
            return;
          }
          assert.equal(writing.status, 200, JSON.stringify(writing.body));
          if (scope === 'write') assertFailure(reading, 403, 'forbidden');
          else assert.equal(reading.status, 200, JSON.stringify(reading.body));
        });
      }
    },
    { CONTENT_READ: 'members', USERS_LIST: 'admins', SMTP_URL: 'log', PUBLIC_URL: SITE.origin },
    CLOCK,
  );

  it('is refused at the start to a route that changes something and asks for reading alone', async (t) => {
    const beforeRoutes = async (bare: App) => {
      bare.addHook('onRoute', (route) => {
        if (route.url === '/api/content/:id' && route.config) route.config.programs = 'read';
      });
    };
    await assert.rejects(
      startService(t, engine, {}, { beforeRoutes }),
      /^Error: The route PUT \/api\/content\/:id changes something, and says that reading is enough\.$/,
    );
  });

  it('is refused to revoked and to expired tokens on every route', async (t) => {
    const service = await startService(t, engine);
    const author = await newWithRole(service, 'admin');
    const revoked = await login(service.url, author.username);
    await call(service.url, 'POST', '/api/auth/logout', { token: revoked.token });
    const { id } = await newItem(service.url, author.token);
    for (const route of GUARDED)
      assertFailure(await knock(service, route, author, revoked.token, id), 401, 'token_revoked');
    service.passTime(15 * 60_000);
    for (const route of GUARDED)
      assertFailure(await knock(service, route, author, author.token, id), 401, 'token_expired');
  });
});

function isPersonal(scheme: Record<string, unknown>): boolean {
  return 'personalToken' in scheme;
}

/** Calls the route, on something new of the owner's unless one is given: nothing is prepared for the owner then. */
async function knock(
  { url }: RunningService,
  route: string,
  owner: Account,
  token: string | undefined,
  given?: number,
) {
  const [method = '', template = ''] = route.split(' ');
  const path =
    given === undefined ? await newPath(url, template, owner) : template.replace('{id}', String(given));
  const known = BODIES[route] ?? (given === undefined ? await PREPARED[route]?.(url, owner) : undefined);
  const body = typeof known === 'function' ? known() : known;
  return call(url, method, path, {
    ...(token === undefined ? {} : { token }),
    ...(body ? { body } : {}),
  });
}
