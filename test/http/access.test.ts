import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import type { App } from '../../src/http/server.ts';
import { SITE } from '../support/authenticator.ts';
import { type Account, call, login, newAccount, newItem } from '../support/client.ts';
import { ROUTES, type Route } from '../support/contract.ts';
import { type DeclaredRoute, declaredRoutes } from '../support/declared.ts';
import { ENGINES, onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { fewAtOnce } from '../support/few-at-once.ts';
import { goodRequest, NOW, OF_THE_FIRST_START, USES_UP } from '../support/good-request.ts';
import { newPersonalToken, newWithRole } from '../support/people.ts';
import { freshBody } from '../support/samples.ts';
import { type RunningService, startService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';
import { forgerOf } from '../support/tokens.ts';

/** Of what others wrote, refused to members by the operation itself. */
const OF_AUTHORS = [
  ...['updateContent', 'patchContent', 'deleteContent', 'listContentVersions', 'getContentVersion'],
  ...['compareContentVersions', 'restoreContentVersion'],
];
/** Of all items, refused to members by the operation itself. */
const OF_EDITORS = ['renameTag', 'getTagRenaming', 'renameCategory', 'getCategoryRenaming'];
/** Of what others have in the trash: a member does not know of it, and an editor may not end it. */
const OF_TRASH = ['restoreContent', 'purgeContent'];
const OF_ROWS = [...OF_AUTHORS, ...OF_EDITORS, ...OF_TRASH];
const CLOCK = { clock: () => NOW };
const SETTINGS = { SMTP_URL: 'log', PUBLIC_URL: SITE.origin, TRUST_PROXY: '127.0.0.1' };
const MEMBERS_ONLY = { ...SETTINGS, CONTENT_READ: 'members', USERS_LIST: 'admins' };

const DECLARED = await declaredRoutes(SETTINGS);
/** The same where reading asks for an account. */
const OF_MEMBERS = await declaredRoutes(MEMBERS_ONLY);
const GUARDED = DECLARED.filter(({ access }) => access === 'signed_in' || access === 'admin');

onEveryEngine('Access to routes', (engine) => {
  const isFirst = engine === ENGINES[0];
  it('Every operation states its access, and its description names those for admins', () => {
    const documented = ROUTES.map(({ operation }) => operation.operationId);
    assert.deepEqual(DECLARED.map(({ operationId }) => operationId).sort(), documented.sort());
    const isForAdmins = ({ operation }: Route) => operation.description.includes('For admins only');
    for (const route of DECLARED)
      assert.equal(route.access === 'admin', isForAdmins(route), `${route.method} ${route.path}`);
  });

  describeOnService(
    engine,
    'on one service',
    (service) => {
      const asked = DECLARED.filter(({ operationId }) => operationId !== OF_THE_FIRST_START);
      // What the door refuses does not know the engine: a further one is asked what operations refuse.
      for (const route of isFirst
        ? asked
        : asked.filter(({ operationId }) => OF_ROWS.includes(operationId))) {
        const { access, operationId } = route;
        const isOfTrash = OF_TRASH.includes(operationId);
        const isOfAuthors = isOfTrash || OF_AUTHORS.includes(operationId);
        const isOfEditors = OF_EDITORS.includes(operationId);
        it(`Access to ${operationId} is ${access}`, async () => {
          const { author, ...others } = await callersFor(route, service());
          const may = {
            nobody: access === 'public',
            member: access === 'public' || (access === 'signed_in' && !isOfAuthors && !isOfEditors),
            author: access === 'public' || (access === 'signed_in' && !isOfEditors),
            editor: access === 'public' || (access === 'signed_in' && operationId !== 'purgeContent'),
            admin: access !== 'other_token',
          };
          const callers: Record<keyof typeof may, Account | undefined> = {
            nobody: undefined,
            author,
            ...others,
          };
          for (const [who, isAllowed] of Object.entries(may)) {
            const caller = callers[who as keyof typeof may];
            const owner = isOfAuthors ? author : (caller ?? author);
            // Who is refused at the door needs nothing prepared.
            const given = isAllowed || isOfAuthors ? undefined : 1;
            const answer = await knock(service(), route, owner, caller?.token, given);
            if (isAllowed) assert.equal(answer.status, 200, `${who}: ${JSON.stringify(answer.body)}`);
            else if (who === 'nobody') assertFailure(answer, 401, 'token_missing');
            else if (access === 'other_token') assertFailure(answer, 401, 'token_invalid');
            else if (isOfTrash && who === 'member') assertFailure(answer, 404, 'not_found');
            else assertFailure(answer, 403, 'forbidden');
          }
        });
      }

      // One door refuses for all routes: the first is asked with every forgery, each other with an eighth of them.
      for (const [place, route] of (isFirst ? GUARDED : GUARDED.slice(0, 3)).entries())
        it(`Access to ${route.operationId} is refused to every token that is not ours, and never with a 500`, async () => {
          const author = await adminFor(route, service());
          const { genuine, forgeries } = await forgerOf(service(), author.token);
          for (const [kind, [title, forge]] of Object.entries(forgeries).entries()) {
            if (place > 0 && kind % 8 !== place % 8) continue;
            const answer = await knock(service(), route, author, await forge(), 1);
            assert.equal(answer.body.data.error, 'token_invalid', title);
            assertFailure(answer, 401, 'token_invalid');
          }
          const refused = await knock(service(), route, author, author.refreshToken, 1);
          assertFailure(refused, 401, 'token_invalid');
          assert.match(refused.body.message ?? '', /^This is a refresh token,.* send the access token\.$/);
          const { status } = await knock(service(), route, author, await genuine());
          assert.equal(status, 200, 'one like ours');
        });
    },
    SETTINGS,
    CLOCK,
  );

  it('The document names personal access tokens for every operation that takes them', () => {
    const documented = ROUTES.filter(({ operation }) => operation.security?.some(isPersonal));
    assert.deepEqual(
      DECLARED.filter(({ programs }) => programs !== undefined)
        .map(nameOf)
        .sort(),
      documented.map(nameOf).sort(),
    );
  });

  describeOnService(
    engine,
    'with a personal access token',
    (service) => {
      const few = OF_MEMBERS.filter(({ programs }) => programs !== undefined).slice(0, 3);
      for (const route of isFirst ? OF_MEMBERS : few) {
        const { access, programs: scope, operationId } = route;
        if (access === 'other_token' || (access === 'public' && route.method !== 'GET')) continue;
        it(`Access by personal access tokens to ${operationId} is ${scope ?? (access === 'public' ? 'public' : 'refused')}`, async () => {
          const { admin, read, write } = await programsOf(service());
          // What is refused at the door needs nothing prepared.
          const isRefused = scope === undefined && access !== 'public';
          const [reading, writing] = [
            await knock(service(), route, admin, read, isRefused || scope === 'write' ? 1 : undefined),
            await knock(service(), route, admin, write, isRefused ? 1 : undefined),
          ];
          if (isRefused) {
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
    MEMBERS_ONLY,
    CLOCK,
  );

  it('A route that changes something and states the scope read stops the start', async (t) => {
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

  it('Revoked and expired tokens are refused by every route', async (t) => {
    const service = await startService(t, engine);
    const author = await newWithRole(service, 'admin');
    const revoked = await login(service.url, author.username);
    await call(service.url, 'POST', '/api/auth/logout', { token: revoked.token });
    const { id } = await newItem(service.url, author.token);
    const routes = isFirst ? GUARDED : GUARDED.slice(0, 3);
    for (const route of routes)
      assertFailure(await knock(service, route, author, revoked.token, id), 401, 'token_revoked');
    service.passTime(15 * 60_000);
    for (const route of routes)
      assertFailure(await knock(service, route, author, author.token, id), 401, 'token_expired');
  });
});

interface Callers {
  readonly member: Account;
  readonly author: Account;
  readonly editor: Account;
  readonly admin: Account;
}

const shared = new WeakMap<RunningService, Promise<Callers>>();

/** Accounts that all routes of the service share, or new ones for a route that is about the account or its sessions. */
function callersFor(route: DeclaredRoute, service: RunningService): Promise<Callers> {
  if (needsOwn(route)) return newCallers(service);
  const known = shared.get(service) ?? newCallers(service);
  shared.set(service, known);
  return known;
}

/** The admin of these, or a new one. */
async function adminFor(route: DeclaredRoute, service: RunningService): Promise<Account> {
  if (needsOwn(route)) return newWithRole(service, 'admin');
  return (await callersFor(route, service)).admin;
}

function needsOwn({ operationId, path }: DeclaredRoute): boolean {
  return USES_UP.has(operationId) || path.startsWith('/api/auth/');
}

async function newCallers(service: RunningService): Promise<Callers> {
  return {
    member: await newAccount(service.url),
    author: await newAccount(service.url),
    editor: await newWithRole(service, 'editor'),
    admin: await newWithRole(service, 'admin'),
  };
}

type Programs = Record<'read' | 'write', string> & { readonly admin: Account };

const programs = new WeakMap<RunningService, Promise<Programs>>();

/** An admin with tokens of both scopes, which all routes share: those that would use an account up take no such token. */
function programsOf(service: RunningService): Promise<Programs> {
  const known = programs.get(service) ?? newPrograms(service);
  programs.set(service, known);
  return known;
}

async function newPrograms(service: RunningService): Promise<Programs> {
  const admin = await newWithRole(service, 'admin');
  const newToken = (scope: 'read' | 'write') => newPersonalToken(service.url, admin, scope);
  return { admin, read: await newToken('read'), write: await newToken('write') };
}

function isPersonal(scheme: Record<string, unknown>): boolean {
  return 'personalToken' in scheme;
}

function nameOf({ operation }: Route): string {
  return operation.operationId;
}

type Knock = Parameters<typeof knockOnce>;

/** One renaming of a kind runs at a time, and the last is remembered, so the tests that ask for them take turns. */
const inTurn = fewAtOnce(1);

function knock(...knocking: Knock): ReturnType<typeof knockOnce> {
  const [, { operationId }] = knocking;
  return OF_EDITORS.includes(operationId) ? inTurn(() => knockOnce(...knocking)) : knockOnce(...knocking);
}

/** Calls the route, on something new of the owner's unless the id of something is given: nothing is prepared then. */
async function knockOnce(
  service: RunningService,
  route: DeclaredRoute,
  owner: Account,
  token: string | undefined,
  given?: number,
) {
  const { path, body } =
    given === undefined
      ? await goodRequest(service, route, owner)
      : {
          path: route.path.replace('{id}', String(given)).replace('{version}', '1'),
          body: freshBody(route.operation),
        };
  return call(service.url, route.method, path, {
    ...(token === undefined ? {} : { token }),
    ...(body && { body }),
    // Few mails are sent on behalf of one source.
    headers: { 'x-forwarded-for': `2001:db8:${randomBytes(2).toString('hex')}::1` },
  });
}
