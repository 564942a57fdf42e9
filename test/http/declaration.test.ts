import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FastifyContextConfig, FastifySchema } from 'fastify';
import { pino } from 'pino';
import { Type } from 'typebox';
import { Admission } from '../../src/domain/admission/admission.ts';
import { BoundedLog } from '../../src/domain/bounded-log.ts';
import { requireDeclarations } from '../../src/http/declaration.ts';
import { createServer } from '../../src/http/server.ts';
import { CONTRACT } from '../support/contract.ts';
import { declaredRoutes } from '../support/declared.ts';

const GOOD: FastifyContextConfig = { access: 'admin', limits: [], shows: 'all' };

/** Adds a route that says this of itself. */
function add(method: 'GET' | 'PUT', config: Partial<FastifyContextConfig>, schema: FastifySchema = {}): void {
  const logger = pino({ level: 'silent' });
  const app = createServer({
    logger,
    slow: new BoundedLog(logger),
    trustProxy: false,
    publicUrl: undefined,
    corsOrigins: [],
    formats: {},
    failures: {},
    admission: new Admission(1),
  });
  requireDeclarations(app);
  const handler = () => assert.fail('Nobody asks.');
  app.route({ method, url: '/it', config: config as FastifyContextConfig, schema, handler });
}

describe('Declarations of routes', () => {
  for (const name of ['access', 'limits', 'shows'] as const)
    it(`A route that does not state its ${name} stops the start`, () => {
      const { [name]: _, ...rest } = GOOD;
      assert.throws(() => add('GET', rest), { message: `The route GET /it does not state its ${name}.` });
    });

  const OTHER_TOKEN = { access: 'other_token', shows: 'own' } as const;
  const wrong: [string, 'GET' | 'PUT', Partial<FastifyContextConfig>][] = [
    ['shows rows of all accounts, and is not for admins only', 'GET', { access: 'signed_in' }],
    ['shows rows of all accounts, and is not for admins only', 'GET', { access: 'public' }],
    [
      'shows rows of the account that asks, and does not ask who that is',
      'GET',
      { access: 'public', shows: 'own' },
    ],
    ['takes another token than the access token, and its schema does not name that', 'PUT', OTHER_TOKEN],
    ['changes something, and says that reading is enough', 'PUT', { programs: 'read' }],
  ];
  for (const [mistake, method, change] of wrong)
    it(`A route that is ${Object.values(change).join(' and ')}, and ${mistake}, stops the start`, () => {
      assert.throws(() => add(method, { ...GOOD, ...change }), {
        message: `The route ${method} /it ${mistake}.`,
      });
    });

  it('The document names exactly the operations that ignore unknown names', async () => {
    const [sentence = ''] = /ignore it instead,[^.]*/.exec(CONTRACT.info.description) ?? [];
    const ignoring = (await declaredRoutes()).filter(({ ignoresUnknown }) => ignoresUnknown);
    assert.deepEqual(
      [...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort(),
      ignoring.map(({ operationId }) => operationId).sort(),
    );
  });

  it('A route whose body has no example, or lacks one for a required member, stops the start', () => {
    const word = Type.String({ examples: ['word'] });
    const optional = { one: Type.Optional(word) };
    const [named, message] = [{ $id: 'Named' }, 'The route PUT /it takes a body without an example: '];
    const without = Type.Object({ word, two: Type.String() }, named);
    assert.throws(() => add('PUT', GOOD, { body: without }), {
      message: `${message}the member "two" has none.`,
    });
    assert.throws(() => add('PUT', GOOD, { body: Type.Object(optional) }), {
      message: `${message}the schema needs one of the whole, because no member has to be there.`,
    });
    add('PUT', GOOD, { body: Type.Object({ word, sort: Type.Enum(['a', 'b']) }, named) });
    add('PUT', GOOD, { body: Type.Object(optional, { examples: [{ one: 'word' }] }) });
  });
});
