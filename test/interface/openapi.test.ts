import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { generateOpenapi } from '../../src/cli/openapi.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';
import { call, login, newAccount, newItem } from '../support/client.ts';
import { bodySchema, CONTRACT, type Operation, ROUTES } from '../support/contract.ts';
import { interfaceSuite } from '../support/interface.ts';

const SEED = 20_260_101;
const RUNS = Number(process.env.STOA_TEST_RUNS ?? 16);
const LONG_BODY = 2000;

const hostileText = fc.oneof(
  fc.string({ unit: ANY_CHARACTER, maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom(
    '',
    '%',
    '_',
    '*',
    '"',
    "'",
    '\\',
    '\u0000',
    '\ud800',
    '\uffff',
    '../..',
    '__proto__',
    'x'.repeat(300),
  ),
);
const hostileValue = fc.oneof(hostileText, fc.jsonValue(), fc.constantFrom(1e308, -0, 2 ** 53));

/** What a JSON Schema of the document allows, loosely: the service decides what is valid. */
function allowedBy(schema: object): fc.Arbitrary<unknown> {
  if (!('type' in schema)) return hostileValue;
  if (schema.type === 'integer') return fc.integer({ min: 1, max: 200 });
  if (schema.type === 'array') return fc.array(fc.string({ minLength: 1, maxLength: 20 }), { maxLength: 5 });
  if ('format' in schema && schema.format === 'email') return fc.emailAddress();
  return fc.string({ unit: 'grapheme', minLength: 8, maxLength: 20 });
}

function membersOf(properties: Record<string, object>): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.entries(properties).map(([name, schema]) => [
    name,
    fc.oneof({ weight: 3, arbitrary: allowedBy(schema) }, { weight: 1, arbitrary: hostileValue }),
  ]);
  return fc.record(Object.fromEntries(members), { requiredKeys: [] });
}

/** Members that no operation names; what they hold does not matter. */
const unnamed = fc.dictionary(
  fc.constantFrom('role', 'author_id', 'version', 'toString', 'x'),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 2 },
);

function bodyOf(operation: Operation): fc.Arbitrary<unknown> {
  const schema = bodySchema(operation);
  if (!schema) return fc.option(hostileValue, { nil: undefined });
  assert.ok('properties' in schema, `The body of ${operation.operationId} has members.`);
  const members = fc
    .tuple(membersOf(Object(schema.properties)), unnamed)
    .map(([named, others]) => ({ ...others, ...named }));
  return fc.oneof(
    { weight: 4, arbitrary: members },
    { weight: 1, arbitrary: hostileValue },
    { weight: 1, arbitrary: fc.string({ unit: ANY_CHARACTER, maxLength: LONG_BODY }) },
  );
}

function parametersOf({ parameters = [] }: Operation, where: 'path' | 'query') {
  const schemas = parameters.filter((each) => each.in === where).map(({ name, schema }) => [name, schema]);
  return membersOf(Object.fromEntries(schemas));
}

const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
const encode = (value: unknown) => encodeURIComponent(text(value).toWellFormed());

interfaceSuite('The OpenAPI document', (base) => {
  for (const { method, path, operation } of ROUTES)
    it(`The document describes the answers of ${method} ${path} to generated requests, and none is a 5xx`, async () => {
      const account = await newAccount(base.url);
      const { id } = await newItem(base.url, account.token);
      const request = fc.record({
        query: parametersOf(operation, 'query'),
        others: unnamed,
        path: parametersOf(operation, 'path'),
        body: bodyOf(operation),
        signedIn: fc.boolean(),
        own: fc.boolean(),
      });
      const check = fc.asyncProperty(
        request,
        async ({ query, others, path: params, body, signedIn, own }) => {
          const target = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
            own ? String(id) : encode(params[name] ?? 1),
          );
          if (target.endsWith('/') || target.includes('/.')) return;
          const search = Object.entries({ ...others, ...query }).map(
            ([name, value]) => `${name}=${encode(value)}`,
          );
          // A log-out ends its session, so each takes a session of its own.
          const session =
            path.endsWith('/logout') && signedIn ? await login(base.url, account.username) : account;
          const { status } = await call(base.url, method, `${target}?${search.join('&')}`, {
            ...(signedIn ? { token: path.endsWith('/refresh') ? session.refreshToken : session.token } : {}),
            ...(method === 'GET' ? {} : { body }),
          });
          assert.ok(status < 500, String(status));
        },
      );
      await fc.assert(check, { seed: SEED, numRuns: RUNS, endOnFailure: true });
    });
});

it('The committed openapi.json is what the routes generate', async () => {
  assert.deepEqual(JSON.parse(await generateOpenapi()), CONTRACT);
});
