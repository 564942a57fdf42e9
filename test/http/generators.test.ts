import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertAnswerOf, CONTRACT, findRoute, ROUTES, schemaNamed } from '../support/contract.ts';

/**
 * What stopped openapi-generator 7.26.0 (Java, Go) and oapi-codegen 2.8.2. They are too large to run here, so these
 * tests look for the same in openapi.json, which another test compares with the routes.
 */

interface Part {
  readonly where: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly 'x-extensible-enum'?: readonly string[];
}

/** Each object within a part of the document, but for examples. */
function partsOf(value: unknown, where: string): Part[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).filter(([key]) => !['example', 'examples'].includes(key));
  return [{ ...value, where }, ...inner.flatMap(([key, each]) => partsOf(each, `${where}/${key}`))];
}

const ALL = partsOf(CONTRACT, '');
const isOf = (type: string) => (part: Part) => [part.type].flat().includes(type);
const isChoice = (part: Part) => part.enum !== undefined || part.const !== undefined;

/** Those of the parts that `isWrong`, by their places; some parts have to be there. */
function placesOf(parts: readonly Part[], isWrong: (part: Part) => boolean): string[] {
  assert.notEqual(parts.length, 0);
  return parts.filter(isWrong).map(({ where }) => where);
}

/** What the answers of an operation have, through references too. */
function answersOf({ responses }: (typeof ROUTES)[number]['operation'], name: string): Part[] {
  const seen = new Set<string>();
  const follow = (parts: Part[]): Part[] =>
    parts.flatMap((part) => {
      const reference = '$ref' in part ? String(part.$ref) : '';
      if (reference === '' || seen.has(reference)) return [part];
      seen.add(reference);
      return follow(partsOf(schemaNamed(reference), reference));
    });
  return follow(partsOf(responses, name));
}

it('No link of the document has a body of several values, because openapi-generator refuses the document then', () => {
  const links = ALL.filter(({ where }) => /\/links\/[^/]+$/.test(where));
  const isWrong = (link: Part) => 'requestBody' in link && typeof link.requestBody !== 'string';
  assert.deepEqual(placesOf(links, isWrong), []);
});

it('No schema of the document is named as a constructor in Go, NewContent for example', () => {
  const names = Object.keys(CONTRACT.components.schemas);
  assert.deepEqual(
    [names.includes('ContentInput'), names.filter((name) => /^New[A-Z]/.test(name))],
    [true, []],
  );
});

it('No two parameters of an operation have names that become one identifier', () => {
  for (const { operation } of ROUTES) {
    const names = (operation.parameters ?? []).map(({ name }) => name.toLowerCase().replaceAll(/\W|_/g, ''));
    assert.deepEqual(names, [...new Set(names)], operation.operationId);
  }
});

it('No boolean of the document is an enum, because Java gets texts for its values', () => {
  assert.deepEqual(placesOf(ALL.filter(isOf('boolean')), isChoice), []);
});

it('Each integer of the document has a format, so that generators give it 64 bits', () => {
  const integers = ALL.filter(isOf('integer')).filter((part) => !isChoice(part));
  assert.deepEqual(
    placesOf(integers, ({ format }) => format !== 'int64'),
    [],
  );
});

it('A client of generated types accepts the error or the event of a later version: no answer has an enum of them', () => {
  const answers = ROUTES.flatMap(({ operation }) => answersOf(operation, operation.operationId));
  const growing = answers.filter(({ where }) =>
    /\/properties\/(error|event|events|details)(\/items)?$/.test(where),
  );
  assert.deepEqual(placesOf(growing, isChoice), []);
  const open = answers.filter((part) => part['x-extensible-enum']);
  const lacksWord = (part: Part) =>
    part['x-extensible-enum']?.some((word) => !part.description?.includes(`\`${word}\``)) ?? true;
  assert.deepEqual(placesOf(open, lacksWord), []);
});

it('The check of all answers refuses an error that the document does not name', () => {
  const route = findRoute('GET', '/livez');
  assert.ok(route);
  const headers = new Headers({ 'content-type': 'application/json; charset=utf-8' });
  const answer = (error: string) => ({
    status: 429,
    headers,
    body: { code: 429, message: 'Too many requests.', data: { error, request_id: '1' } },
  });
  assertAnswerOf(route, 'GET', answer('too_many_requests'), 'a known one');
  assert.throws(() => assertAnswerOf(route, 'GET', answer('other'), 'another'), /must be equal to one of/);
});
