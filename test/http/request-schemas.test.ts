import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Ajv } from 'ajv';
import { assembleOnce } from '../../src/cli/openapi.ts';
import { SITE } from '../support/authenticator.ts';

/** With these the service has all of its routes. */
const SETTINGS = { SMTP_URL: 'log', PUBLIC_URL: SITE.origin };
const PARTS = ['body', 'querystring', 'params', 'headers'] as const;

it('Each schema of a request, and each that it refers to, is valid by the schema of JSON Schema', async () => {
  const schemas = new Map<string, unknown>();
  await assembleOnce(async (bare) => {
    bare.addHook('onRoute', ({ method, url, schema }) => {
      for (const part of PARTS) if (schema?.[part]) schemas.set(`${method} ${url} ${part}`, schema[part]);
    });
    bare.addHook('onReady', async () => {
      for (const [name, schema] of Object.entries(bare.getSchemas())) schemas.set(name, schema);
    });
  }, SETTINGS);
  assert.ok(schemas.size > 80, `${schemas.size} schemas`);
  const ajv = new Ajv();
  for (const [what, schema] of schemas)
    assert.ok(ajv.validateSchema(Object(schema)), `${what}: ${ajv.errorsText()}`);
  assert.equal(ajv.validateSchema({ type: 'string', minLength: '3' }), false, 'a wrong one is found');
});
