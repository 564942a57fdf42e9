import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer } from './client.ts';

/** Holds every answer to openapi.json: its path, method, status, headers and body must be described there. */

export interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly security?: readonly Record<string, unknown>[];
  readonly parameters?: readonly { name: string; in: 'path' | 'query' | 'header'; schema: object }[];
  /** By media type; there is one. */
  readonly requestBody?: { content: Readonly<Record<string, { schema: object }>> };
  readonly responses: Readonly<
    Record<string, { description: string; content?: Readonly<Record<string, { schema: object }>> }>
  >;
}

interface Document {
  readonly info: { readonly description: string };
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const FILE = new URL('../../openapi.json', import.meta.url);

export const CONTRACT = JSON.parse(readFileSync(FILE, 'utf8')) as Document;

export interface Route {
  readonly method: string;
  /** With parameters in braces: /api/content/{id}. */
  readonly path: string;
  readonly operation: Operation;
  /** What the paths of its requests are. */
  readonly pattern: RegExp;
}

/** Every route that the document describes. */
export const ROUTES: readonly Route[] = Object.entries(CONTRACT.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]*')}$`, 's'),
  })),
);

/** Paths whose answer is made as it leaves: GET without HEAD. */
export const WITHOUT_HEAD: readonly string[] = ['/api/users/me/export', '/api/events'];

/** The media type of an answer that goes on. */
export const STREAM = 'text/event-stream';

/** Does the answer of this operation go on until one side ends it? */
export function isStreamed({ responses }: Operation): boolean {
  return responses['200']?.content?.[STREAM] !== undefined;
}

/** The schema of the body that an operation takes, where it takes one; never a reference. */
export function bodySchema({ requestBody }: Operation): object | undefined {
  const [schema] = Object.values(requestBody?.content ?? {}).map((each) => each.schema);
  if (!schema || !('$ref' in schema)) return schema;
  return schemaNamed(String(schema.$ref));
}

/** The media type of the bodies that an operation takes. */
export function mediaTypeOf(operation: Operation | undefined): string {
  return Object.keys(operation?.requestBody?.content ?? {})[0] ?? 'application/json';
}

/** The schema that a reference of the document leads to. */
export function schemaNamed(reference: string): object {
  const named = CONTRACT.components.schemas[reference.replace('#/components/schemas/', '')];
  assert.ok(named, `openapi.json has no ${reference}.`);
  return named;
}

// Without more work on the code than it saves: each process of tests compiles it again.
const ajv = new Ajv2020({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } });
addFormats.default(ajv);
// Of ours: the service has the rule.
ajv.addFormat('name', true);
ajv.addSchema({ $id: 'openapi', components: { schemas: closed(CONTRACT.components.schemas) } });
/** By schema: a tenth of the answers have one that no other has. */
const validators = new Map<string, ValidateFunction>();

/** Fails when the document does not describe this answer, members that it does not name included. */
export function assertDocumented(method: string, path: string, { status, headers, body }: Answer): void {
  const { pathname } = new URL(path, 'http://stoa.invalid');
  const route = findRoute(method, pathname);
  const what = `${method} ${path} -> ${status}`;
  assert.ok(route, `${what}: openapi.json does not describe this route.`);
  assertAnswerOf(route, method, { status, headers, body }, what);
}

/** Fails when the document does not describe this answer of the route. */
export function assertAnswerOf(
  route: Route,
  method: string,
  { status, headers, body }: Answer,
  what: string,
): void {
  const response = route.operation.responses[String(status)];
  assert.ok(response, `${what}: openapi.json does not describe this status.`);
  if (!response.content) {
    assert.deepEqual([headers.get('content-type'), body], [null, undefined], what);
    return;
  }
  const [type = ''] = Object.keys(response.content);
  assert.equal(headers.get('content-type'), `${type}; charset=utf-8`, what);
  if (method === 'HEAD' || type === STREAM) return;
  const schema = response.content['application/json']?.schema;
  assert.ok(schema, `${what}: openapi.json shows no body.`);
  const validate = validatorOf(schema);
  assert.ok(validate(body), `${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`);
}

/** A parameter may be empty, as the router has it. A path without parameters goes before one with them: /api/users/me is no /api/users/{id}. */
export function findRoute(method: string, pathname: string): Route | undefined {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const candidates = ROUTES.filter((route) => route.method === wanted);
  return (
    candidates.find(({ path }) => path === pathname) ??
    candidates.find(({ pattern }) => pattern.test(pathname))
  );
}

/** Fails where an answer that no operation gave is not the envelope of an error. */
export function assertErrorBody({ status, headers, body }: Answer, what: string): void {
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8', what);
  assert.deepEqual([body.code, Object.keys(body).sort()], [status, ['code', 'data', 'message']], what);
  assert.match(body.message ?? '', /^\S.*\.$/s, what);
  const { error, request_id, ...others } = body.data;
  assert.deepEqual([typeof error, typeof request_id, others], ['string', 'string', {}], what);
}

function validatorOf(schema: object): ValidateFunction {
  const key = JSON.stringify(schema);
  const validate = validators.get(key) ?? ajv.compile(closed(schema));
  validators.set(key, validate);
  return validate;
}

/**
 * The schema with every object closed, so that members that are not described are refused, and every reference
 * absolute. An answer of this version has the words of this version only (src/http/open-enum.ts).
 */
function closed<Schema extends object>(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === '$ref') return String(value).replace(/^#/, 'openapi#');
    const words = value?.['x-extensible-enum'];
    if (words !== undefined) return { ...value, enum: words };
    const isObject = value?.type === 'object' && value.additionalProperties === undefined;
    return isObject ? { ...value, additionalProperties: false } : value;
  });
}
