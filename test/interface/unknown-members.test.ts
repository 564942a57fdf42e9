import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Account, call, newAccount, newItem, PASSWORD } from '../support/client.ts';
import { bodySchema, CONTRACT, ROUTES, type Route } from '../support/contract.ts';
import { declaredRoutes } from '../support/declared.ts';
import { assertFailure } from '../support/expect.ts';
import { interfaceSuite } from '../support/interface.ts';
import { freshBody } from '../support/samples.ts';

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
const DECLARED = await declaredRoutes();
const QUERY = 'unknown=1&id=77&titel=T&also=a&also=b&empty';

// Not held to the schema of schemas: that would be done to the whole document for each operation.
const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
const validators = new Map<string, ValidateFunction>();

/** The document's own judgement of a body, as a generated client would make it. */
function documentTakes(operationId: string, body: unknown): boolean {
  const operation = ROUTES.find((route) => route.operation.operationId === operationId)?.operation;
  const schema = operation && bodySchema(operation);
  assert.ok(schema, `${operationId} takes a body.`);
  const validate = validators.get(operationId) ?? ajv.compile({ ...schema, components: CONTRACT.components });
  validators.set(operationId, validate);
  return validate(body);
}

interfaceSuite('Members that the document does not name', (base) => {
  let author: Account;
  before(async () => {
    author = await newAccount(base.url);
  });

  /** The sample of the document, of somebody new; who logs in is somebody known. */
  const bodyOf = (operationId: string): Record<string, unknown> => {
    const known = operationId === 'login' ? { username: author.username } : {};
    const route = DECLARED.find((each) => each.operationId === operationId);
    assert.ok(route, operationId);
    return { ...freshBody(route.operation), ...known };
  };

  const targetOf = async ({ path }: Route) =>
    path
      .replace('{version}', '1')
      .replace(
        '{id}',
        path.includes('/content/') ? (await newItem(base.url, author.token)).id : 'AAAAAAAAAAA',
      );

  it('Only the seven operations ignore unknown members', () => {
    const ignoring = DECLARED.filter(({ ignoresUnknown }) => ignoresUnknown);
    assert.deepEqual(ignoring.map(({ operationId }) => operationId).sort(), THE_SEVEN.toSorted());
  });

  for (const route of DECLARED) {
    const { method, operation, operationId } = route;
    const takesBody = bodySchema(operation) !== undefined;
    // Nobody becomes an admin over HTTP; test/features/audit.test.ts asks as one.
    if (route.access === 'admin') continue;
    if (THE_SEVEN.includes(operationId)) {
      if (takesBody)
        it(`Unknown members in the body of ${operationId} are ignored by the document and by the service`, async () => {
          const body = { ...UNKNOWN, role: 'admin', ...bodyOf(operationId) };
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
    it(`An unknown name in the query of ${operationId} is refused, with the names that exist`, async () => {
      const known = (operation.parameters ?? []).filter((each) => each.in === 'query');
      const answer = await call(base.url, method, `${await targetOf(route)}?limit=5`, {
        token: author.token,
        body: bodySchema(operation) && bodyOf(operationId),
      });
      assertFailure(answer, 400, 'validation_failed', { field: 'limit', rule: 'additionalProperties' });
      for (const { name } of known)
        assert.ok(answer.body.message?.includes(name), JSON.stringify(answer.body));
    });
    if (method !== 'GET')
      it(`An unknown member in the body of ${operationId} is refused, with the members that exist`, async () => {
        const named = bodyOf(operationId);
        const body = { titel: 1, ...named };
        if (takesBody) assert.ok(documentTakes(operationId, named) && !documentTakes(operationId, body));
        const options = { token: author.token, body };
        const answer = await call(base.url, method, await targetOf(route), options);
        assertFailure(answer, 400, 'validation_failed', { field: 'titel', rule: 'additionalProperties' });
        for (const name of Object.keys(named)) assert.ok(answer.body.message?.includes(name));
      });
  }

  it('An unknown member is named before a missing one, so a misspelling is found', async () => {
    const options = { token: author.token, body: { displayname: 'Ada' } };
    const answer = await call(base.url, 'PUT', '/api/users/me', options);
    assertFailure(answer, 400, 'validation_failed', { field: 'displayname' });
    assert.equal(
      answer.body.message,
      'There is no member "displayname" here; there are username, display_name and profile.',
    );
    assert.equal(answer.body.data.fields.length, 1);
  });

  it('An unknown name with a line break or a character that turns the writing is not repeated', async () => {
    for (const name of ['a\nb', 'a\u202eb', 'a\u2028b', 'a\u001bb']) {
      const options = { token: author.token, body: { [name]: 'Ada' } };
      const answer = await call(base.url, 'PUT', '/api/users/me', options);
      assertFailure(answer, 400, 'validation_failed', { field: 'body' });
      assert.ok(!JSON.stringify(answer.body).includes(JSON.stringify(name).slice(1, -1)));
    }
  });

  it('Unknown names in the query of the seven operations are ignored', async () => {
    const { username, token, refreshToken } = await newAccount(base.url);
    const { id } = await newItem(base.url, token);
    const ask = (method: string, path: string, body?: object | undefined, as: string = token) =>
      call(base.url, method, `${path}${path.includes('?') ? '&' : '?'}${QUERY}`, { token: as, body });
    for (const answer of [
      await ask('POST', '/api/auth/login', { username, password: PASSWORD }),
      await ask('POST', '/api/auth/register', bodyOf('register')),
      await ask('POST', '/api/content', bodyOf('createContent')),
      await ask('PUT', `/api/content/${id}`, bodyOf('updateContent')),
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

  it('A known member with NUL is refused by the document and by the service', async () => {
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

  it('A change with only unknown members is refused by the document and by the service', async () => {
    const { id } = await newItem(base.url, author.token);
    for (const body of [{}, UNKNOWN]) {
      assert.equal(documentTakes('updateContent', body), false);
      const answer = await call(base.url, 'PUT', `/api/content/${id}`, { token: author.token, body });
      assertFailure(answer, 400, 'validation_failed', { field: 'body', rule: 'minProperties' });
      assert.equal(
        answer.body.message,
        'Send at least one of title, content, category, tags, language, meta, visibility, slug, status and publish_at.',
      );
      assert.equal(answer.body.data.fields.length, 1);
    }
    for (const [name, value] of Object.entries({ title: 'T', content: '', category: '', tags: [] }))
      assert.ok(documentTakes('updateContent', { ...UNKNOWN, [name]: value }), name);
  });
});
