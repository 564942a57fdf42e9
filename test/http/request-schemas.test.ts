import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Ajv } from 'ajv';
import { assembleOnce } from '../../src/cli/openapi.ts';
import { validationFailure } from '../../src/http/validation.ts';
import { SITE } from '../support/authenticator.ts';

/** With these the service has all of its routes. */
const SETTINGS = { SMTP_URL: 'log', PUBLIC_URL: SITE.origin };
const PARTS = ['body', 'querystring', 'params', 'headers'] as const;
/** Keywords that refuse nothing, hold other schemas, or have a sentence that needs more than their parameters. */
const WITHOUT_SENTENCE =
  /^(\$id|\$ref|description|examples?|default|title|properties|items|additionalProperties|anyOf|allOf|format)$/;

const requests = new Map<string, object>();
const shared = new Map<string, object>();

before(() =>
  assembleOnce(async (bare) => {
    bare.addHook('onRoute', ({ method, url, schema }) => {
      for (const part of PARTS)
        if (schema?.[part]) requests.set(`${method} ${url} ${part}`, Object(schema[part]));
    });
    bare.addHook('onReady', async () => {
      for (const [name, schema] of Object.entries(bare.getSchemas())) shared.set(name, Object(schema));
    });
  }, SETTINGS),
);

it('Each schema of a request, and each that it refers to, is valid by the schema of JSON Schema', () => {
  const schemas = [...requests, ...shared];
  assert.ok(schemas.length > 80, `${schemas.length} schemas`);
  const ajv = new Ajv();
  for (const [what, schema] of schemas) assert.ok(ajv.validateSchema(schema), `${what}: ${ajv.errorsText()}`);
  assert.equal(ajv.validateSchema({ type: 'string', minLength: '3' }), false, 'a wrong one is found');
});

it('Each rule of a request has a sentence of ours for a person who breaks it', () => {
  const rules = new Map<string, object>();
  for (const schema of requests.values()) addRules(rules, schema);
  assert.ok(rules.size > 15, [...rules.keys()].join());
  for (const [rule, params] of rules) {
    const [keyword = ''] = rule.split(' ');
    const broken = { keyword, params: { ...params }, instancePath: '/it', schemaPath: '', message: 'RAW' };
    const { message } = validationFailure([broken], 'body', {});
    assert.doesNotMatch(message, /RAW|undefined|NOT|, \.|must be \w+(,\w+)?\.$/, rule);
  }
});

/** Each keyword, and each of its types, with the parameters that Ajv tells of it. */
function addRules(rules: Map<string, object>, schema: object): void {
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === '$ref') addRules(rules, Object(shared.get(value.replace('#', ''))));
    if (['items', 'additionalProperties'].includes(keyword)) addRules(rules, Object(value));
    if (['properties', 'anyOf', 'allOf'].includes(keyword))
      for (const part of Object.values(value)) addRules(rules, Object(part));
    if (WITHOUT_SENTENCE.test(keyword)) continue;
    const params = { type: value, limit: value, allowedValue: value, allowedValues: value, pattern: value };
    rules.set(['type', 'enum'].includes(keyword) ? `${keyword} ${value}` : keyword, params);
  }
}
