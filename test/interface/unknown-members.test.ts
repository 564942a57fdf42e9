import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Authenticator } from '../support/authenticator.ts';
import { type Account, call, newAccount, newItem, newName, PASSWORD } from '../support/client.ts';
import { bodySchema, CONTRACT, ROUTES, type Route } from '../support/contract.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';

/** Named by no operation; some of them are columns or members of answers. */
const UNKNOWN = { unknown: [{ deep: null }], id: 77, author: { id: 1 }, version: 9, titel: 'T' };
/** Clients had these before there was a document. */
const THE_SEVEN = [
  'login',
  'register',
  'refresh',
  'listUsers',
  'createContent',
  'updateContent',
  'deleteContent',
];
/** Nobody becomes an admin over HTTP; test/features/audit.test.ts asks as one. */
const FOR_ADMINS = [
  'listAuditEvents',
  'listInvitations',
  'createInvitation',
  'revokeInvitation',
  'getUser',
  'updateUser',
  'removeUser',
  'endUserSessions',
  'listUserSessions',
  'revokeUserSession',
  'listUserTokens',
  'revokeUserToken',
  'resetUserFactors',
];
const PASSKEY = new Authenticator();
const QUERY = 'unknown=1&id=77&titel=T&also=a&also=b&empty';

/** The document's own judgement of a body, as a generated client would make it. */
function documentTakes(operationId: string, body: unknown): boolean {
  const operation = ROUTES.find((route) => route.operation.operationId === operationId)?.operation;
  const schema = operation && bodySchema(operation);
  assert.ok(schema, `${operationId} takes a body.`);
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  return ajv.compile({ ...schema, components: CONTRACT.components })(body);
}

interfaceSuite('What the document does not name', (base) => {
  let author: Account;
  before(async () => {
    author = await newAccount(base.url);
  });

  const bodies: Record<string, () => Record<string, unknown>> = {
    register: () => ({ username: newName(), email: `${newName()}@example.org`, password: PASSWORD }),
    resendRegistration: () => ({ username: newName(), email: `${newName()}@example.org` }),
    login: () => ({ username: author.username, password: PASSWORD }),
    completeLogin: () => ({ challenge: 'none', code: '000000' }),
    confirmTotp: () => ({ code: '000000' }),
    restoreAccount: () => ({ username: author.username, password: PASSWORD }),
    changePassword: () => ({ current_password: PASSWORD, new_password: PASSWORD }),
    forgetPassword: () => ({ email: `${newName()}@example.org` }),
    resetPassword: () => ({ token: 'none', new_password: PASSWORD }),
    requestEmailChange: () => ({ email: `${newName()}@example.org` }),
    verifyEmail: () => ({ token: 'none' }),
    confirmEmailChange: () => ({ token: 'none' }),
    revertEmailChange: () => ({ token: 'none' }),
    createInvitation: () => ({ email: `${newName()}@example.org`, role: 'member' }),
    createPersonalToken: () => ({ name: 'n', scope: 'read', expires_in_days: 1 }),
    updateMe: () => ({ display_name: 'Ada' }),
    updateSession: () => ({ name: 'n' }),
    updatePersonalToken: () => ({ name: 'n' }),
    updatePasskey: () => ({ name: 'n' }),
    addPasskey: () => ({ name: 'n', response: PASSKEY.create({ challenge: 'none', user: { id: 'none' } }) }),
    loginWithPasskey: () => ({ response: PASSKEY.get({ challenge: 'none' }) }),
    createContent: () => ({ title: 'T', content: 'C' }),
    updateContent: () => ({ title: 'New' }),
  };

  const targetOf = async ({ path }: Route) =>
    path.replace(
      '{id}',
      path.includes('/content/') ? (await newItem(base.url, author.token)).id : 'AAAAAAAAAAA',
    );

  for (const route of ROUTES) {
    const { method, operation } = route;
    const { operationId } = operation;
    const takesBody = bodySchema(operation) !== undefined;
    if (FOR_ADMINS.includes(operationId)) continue;
    if (THE_SEVEN.includes(operationId)) {
      if (takesBody)
        it(`is ignored in the body of ${operationId}, by the document and by the service`, async () => {
          const body = { ...UNKNOWN, role: 'admin', ...bodies[operationId]?.() };
          assert.ok(documentTakes(operationId, body));
          const options = { token: author.token, body };
          const answer = await call(base.url, method, await targetOf(route), options);
          assert.equal(answer.status, 200, JSON.stringify(answer.body));
          const { data } = answer.body;
          assert.ok(!('unknown' in data) && !('titel' in data) && data.role !== 'admin');
          assert.ok(data.id !== UNKNOWN.id && data.version !== UNKNOWN.version);
        });
      continue;
    }
    it(`is named in the query of ${operationId}, and so is what there is`, async () => {
      const known = (operation.parameters ?? []).filter((each) => each.in === 'query');
      const answer = await call(base.url, method, `${await targetOf(route)}?limit=5`, {
        token: author.token,
        body: bodies[operationId]?.(),
      });
      assertFailure(answer, 400, 'validation_failed', { field: 'limit', rule: 'additionalProperties' });
      for (const { name } of known)
        assert.ok(answer.body.message?.includes(name), JSON.stringify(answer.body));
    });
    if (method !== 'GET')
      it(`is named in the body of ${operationId}, and so is what there is`, async () => {
        const named = bodies[operationId]?.() ?? {};
        const body = { titel: 1, ...named };
        if (takesBody) assert.ok(documentTakes(operationId, named) && !documentTakes(operationId, body));
        const options = { token: author.token, body };
        const answer = await call(base.url, method, await targetOf(route), options);
        assertFailure(answer, 400, 'validation_failed', { field: 'titel', rule: 'additionalProperties' });
        for (const name of Object.keys(named)) assert.ok(answer.body.message?.includes(name));
      });
  }

  it('is named before what is missing: whoever misspells a member of a change learns which', async () => {
    const options = { token: author.token, body: { displayname: 'Ada' } };
    const answer = await call(base.url, 'PUT', '/api/users/me', options);
    assertFailure(answer, 400, 'validation_failed', { field: 'displayname' });
    assert.equal(
      answer.body.message,
      'There is no member "displayname" here; there are username, display_name and profile.',
    );
    assert.equal(answer.body.data.fields.length, 1);
  });

  it('is ignored in the query of the seven operations', async () => {
    const { username, token, refreshToken } = await newAccount(base.url);
    const { id } = await newItem(base.url, token);
    const ask = (method: string, path: string, body?: object | undefined, as: string = token) =>
      call(base.url, method, `${path}${path.includes('?') ? '&' : '?'}${QUERY}`, { token: as, body });
    for (const answer of [
      await ask('POST', '/api/auth/login', bodies.login?.()),
      await ask('POST', '/api/auth/register', bodies.register?.()),
      await ask('POST', '/api/content', bodies.createContent?.()),
      await ask('PUT', `/api/content/${id}`, bodies.updateContent?.()),
      await ask('DELETE', `/api/content/${id}`, UNKNOWN),
      await ask('POST', '/api/auth/refresh', UNKNOWN, refreshToken),
    ])
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    // Of this account only, because other tests register people meanwhile.
    const list = `/api/users?keyword=${username}`;
    const plain = await call(base.url, 'GET', list, { token });
    assert.equal(plain.body.data.total, 1);
    assert.deepEqual((await ask('GET', list)).body, plain.body);
  });

  it('has no NUL in it to the document, as to the service, where it is known', async () => {
    for (const [operationId, body] of Object.entries({
      createContent: { title: 'T', content: 'C', tags: ['a\0b'] },
      createPersonalToken: { name: 'a\0b', scope: 'read', expires_in_days: 1 },
    })) {
      assert.equal(documentTakes(operationId, body), false);
      const path = operationId === 'createContent' ? '/api/content' : '/api/auth/tokens';
      assertFailure(
        await call(base.url, 'POST', path, { token: author.token, body }),
        400,
        'validation_failed',
      );
    }
  });

  it('alone is no change of an item, to the document and to the service', async () => {
    const { id } = await newItem(base.url, author.token);
    for (const body of [{}, UNKNOWN]) {
      assert.equal(documentTakes('updateContent', body), false);
      const answer = await call(base.url, 'PUT', `/api/content/${id}`, { token: author.token, body });
      assertFailure(answer, 400, 'validation_failed', { field: 'body', rule: 'minProperties' });
      assert.equal(answer.body.message, 'Send at least one of title, content, category and tags.');
      assert.equal(answer.body.data.fields.length, 1);
    }
    for (const [name, value] of Object.entries({ title: 'T', content: '', category: '', tags: [] }))
      assert.ok(documentTakes('updateContent', { ...UNKNOWN, [name]: value }), name);
  });
});
