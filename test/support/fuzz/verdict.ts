import assert from 'node:assert/strict';
import { assertAnswerOf, assertErrorBody, CONTRACT, findRoute } from '../contract.ts';
import type { RawAnswer } from './wire.ts';

/** What may be refused before there is an operation: the statuses that the document's description tells. */
const REFUSALS = new Set(
  [...CONTRACT.info.description.matchAll(/\b4\d\d\b/g)].map(([status]) => Number(status)),
);

/**
 * Fails where the answer is one that the document does not describe for the request with that request line, or
 * says that the service failed.
 */
export function assertDescribed(requestLine: string, { status, headers, text }: RawAnswer): void {
  const [method = '', target = ''] = requestLine.split(/ +/);
  const what = `${requestLine.slice(0, 300)} -> ${status} ${text.slice(0, 1_000)}`;
  assert.ok(status < 500, what);
  const body = text === '' ? undefined : JSON.parse(text);
  const answer = { status, headers, body };
  const route = findRoute(method, pathOf(target));
  if (route?.operation.responses[String(status)]) assertAnswerOf(route, method, answer, what);
  else {
    assert.ok(REFUSALS.has(status), `${what}: openapi.json does not describe this answer.`);
    if (method !== 'HEAD') assertErrorBody(answer, what);
  }
  assert.equal(headers.get('x-content-type-options'), 'nosniff', what);
  assert.match(headers.get('x-request-id') ?? '', /^\S+$/, what);
  if (body?.data?.request_id !== undefined && status !== 200) {
    assert.equal(body.data.request_id, headers.get('x-request-id'), what);
  }
  if (status === 401) assert.match(headers.get('www-authenticate') ?? '', /^Bearer /, what);
  if (status === 405) assert.match(headers.get('allow') ?? '', /^[A-Z]/, what);
  if (status === 429) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/, what);
}

/** The path that a request line asks for, decoded as the service does. */
function pathOf(target: string): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/]*/, '').split(/[?#]/);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
