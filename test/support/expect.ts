import assert from 'node:assert/strict';
import type { Answer } from './client.ts';

/** The answer is the error envelope with this status and name, and, where given, with this broken rule. */
export function assertFailure(
  { status, headers, body }: Answer,
  code: number,
  error: string,
  broken?: { readonly field: string; readonly rule?: string },
): void {
  const shown = JSON.stringify(body);
  assert.equal(status, code, shown);
  assert.equal(body.code, code, shown);
  assert.equal(body.data.error, error, shown);
  assert.equal(body.data.request_id, headers.get('x-request-id'), shown);
  assert.match(body.message ?? '', /^\S.*\.$/s, shown);
  if (!broken) return;
  const fields: { field: string; rule: string }[] = body.data.fields ?? [];
  const found = fields.find(({ field }) => field === broken.field);
  assert.ok(found, `names ${broken.field}: ${shown}`);
  if (broken.rule !== undefined) assert.equal(found.rule, broken.rule, shown);
}

/** The storage cannot work now, and the client is told when to come back. */
export function assertUnavailable({ status, headers, body }: Answer): void {
  assert.equal(status, 503, JSON.stringify(body));
  assert.equal(body.data.error, 'unavailable');
  assert.equal(headers.get('retry-after'), '1');
}
