import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Authenticator } from '../support/authenticator.ts';
import { type Account, call, newAccount, newItem, newName, PASSWORD } from '../support/client.ts';
import { bodySchema, CONTRACT, ROUTES } from '../support/contract.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';

/** Named by no operation; some of them are columns or members of answers. */
const UNKNOWN = { unknown: [{ deep: null }], id: 77, role: 'admin', author: { id: 1 }, version: 9 };
/** Nobody becomes an admin over HTTP; test/features/audit.test.ts asks as one. */
const FOR_ADMINS = [
  'listAuditEvents',
  'listInvitations',
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
/** Without the link of a mail, a challenge, an app, a passkey or the role of an admin they refuse, and do so in the same way. */
const REFUSED = [
  'forgetPassword',
  'resetPassword',
  'completeLogin',
  'confirmTotp',
  'addPasskey',
  'loginWithPasskey',
  'requestEmailChange',
  'verifyEmail',
  'confirmEmailChange',
  'revertEmailChange',
  'createInvitation',
];
const PASSKEY = new Authenticator();
/** Others add to these at the same time, or asking does. */
const GROWING = ['listUsers', 'exportAccount'];
const QUERY = 'unknown=1&id=77&role=admin&also=a&also=b&empty';

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
    login: () => ({ username: author.username, password: PASSWORD }),
    completeLogin: () => ({ challenge: 'none', code: '000000' }),
    confirmTotp: () => ({ code: '000000' }),
    restoreAccount: () => ({ username: author.username, password: PASSWORD }),
    changePassword: () => ({ current_password: PASSWORD, new_password: PASSWORD }),
    forgetPassword: () => ({ email: `${newName()}@example.org` }),
    resetPassword: () => ({ token: 'none', password: PASSWORD }),
    requestEmailChange: () => ({ email: `${newName()}@example.org` }),
    verifyEmail: () => ({ token: 'none' }),
    confirmEmailChange: () => ({ token: 'none' }),
    revertEmailChange: () => ({ token: 'none' }),
    createInvitation: () => ({ email: `${newName()}@example.org`, role: 'member' }),
    createPersonalToken: () => ({ name: 'n', scope: 'read', expires_in: 1 }),
    updateMe: () => ({ display_name: 'Ada' }),
    addPasskey: () => ({ name: 'n', response: PASSKEY.create({ challenge: 'none', user: { id: 'none' } }) }),
    loginWithPasskey: () => ({ response: PASSKEY.get({ challenge: 'none' }) }),
    createContent: () => ({ title: 'T', content: 'C' }),
    updateContent: () => ({ title: 'New' }),
  };

  for (const { method, path, operation } of ROUTES) {
    const { operationId } = operation;
    if (!bodySchema(operation) || FOR_ADMINS.includes(operationId)) continue;
    it(`is ignored in the body of ${operationId}, by the document and by the service`, async () => {
      const target = path.replace('{id}', (await newItem(base.url, author.token)).id);
      const named = bodies[operationId]?.();
      assert.ok(named, `${operationId} has a body here.`);
      const body = { ...UNKNOWN, ...named };
      assert.ok(documentTakes(operationId, body));
      const ask = (body: object) => call(base.url, method, target, { token: author.token, body });
      const { status, body: answer } = await ask(body);
      const expected = REFUSED.includes(operationId) ? (await ask(named)).status : 200;
      assert.equal(status, expected, JSON.stringify(answer));
      assert.notEqual(answer.data.error, 'validation_failed');
      assert.ok(!('unknown' in answer.data) && answer.data.role !== UNKNOWN.role);
      assert.notEqual(answer.data.id, UNKNOWN.id);
      assert.notEqual(answer.data.version, UNKNOWN.version);
    });
  }

  for (const { method, path, operation } of ROUTES)
    if (method === 'GET' && !FOR_ADMINS.includes(operation.operationId))
      it(`is ignored in the query of ${operation.operationId}`, async () => {
        // Of its own, because the other tests change what an account has.
        const asker = await newAccount(base.url);
        const item = await newItem(base.url, asker.token);
        const mark = operation.operationId === 'listContent' ? `author=${asker.id}&keyword=none` : '';
        const target = path.replace('{id}', item.id);
        const ask = (query: string) => call(base.url, method, `${target}?${query}`, { token: asker.token });
        const [plain, others] = [await ask(mark), await ask(`${QUERY}&${mark}`)];
        assert.deepEqual([plain.status, others.status], [200, 200]);
        if (!GROWING.includes(operation.operationId)) assert.deepEqual(others.body, plain.body);
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
