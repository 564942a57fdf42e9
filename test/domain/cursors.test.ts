import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { it } from 'node:test';
import { Cursors } from '../../src/domain/cursors.ts';

const SECRET = Buffer.alloc(32, 7);

it('A cursor of version 0.2.0 is taken, and one from before a restore is not', () => {
  const body = Buffer.from([0, 0, 0, 0, 1, 2]);
  const tag = createHmac('sha256', SECRET)
    .update('cursor, /api/users: ')
    .update(body)
    .digest()
    .subarray(0, 18);
  const earlier = Buffer.concat([body, tag]).toString('base64url');
  assert.equal(new Cursors(SECRET, 0).open('/api/users', earlier), 258);
  assert.equal(new Cursors(SECRET, 0).open('/api/content', earlier), undefined);
  const restored = new Cursors(SECRET, 1_000);
  assert.equal(restored.open('/api/users', earlier), undefined);
  assert.equal(restored.open('/api/users', restored.issue('/api/users', 258)), 258);
});
