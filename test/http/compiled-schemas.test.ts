import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { fastify } from 'fastify';
import type { Format } from '../../src/http/validation.ts';
import { compileOnFirstUse } from '../../src/http/validators.ts';
import { newName } from '../support/client.ts';

const BODY = { type: 'object', properties: { colour: { $ref: 'Colour#' } } };

/** A service whose only route takes a colour, and says which status a body gets. */
function newService(t: TestContext, colour: object, formats: Record<string, Format> = {}) {
  const app = fastify();
  t.after(() => app.close());
  app.addSchema({ $id: 'Colour', ...colour });
  compileOnFirstUse(app, formats);
  app.post('/', { schema: { body: BODY } }, async () => 'taken');
  return async (given: string) =>
    (await app.inject({ method: 'POST', url: '/', payload: { colour: given } })).statusCode;
}

it('Services of one process check their own shared schemas, where those of one name differ', async (t) => {
  const [red, blue] = [newService(t, { const: 'red' }), newService(t, { const: 'blue' })];
  assert.deepEqual([await red('red'), await red('blue')], [200, 400]);
  assert.deepEqual([await blue('red'), await blue('blue')], [400, 200]);
});

it('A service does not start where a format has the name of another one in its process', async (t) => {
  const name = newName('format');
  const isRed: Format = { validate: (text) => text === 'red', must: 'must be red' };
  const red = newService(t, { type: 'string', format: name }, { [name]: isRed });
  assert.deepEqual([await red('red'), await red('blue')], [200, 400]);
  const again = newService(t, { type: 'string', format: name }, { [name]: isRed });
  assert.deepEqual([await again('red'), await again('blue')], [200, 400]);
  assert.throws(() => newService(t, {}, { [name]: { ...isRed } }), /Two different formats have the name/);
});
