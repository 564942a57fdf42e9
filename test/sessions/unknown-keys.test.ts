import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { call } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { observed } from '../support/observed.ts';
import { startService } from '../support/service.ts';

const LIST_KEYS = 'sessions.list_signing_keys';
const [ROUNDS, AT_ONCE] = [5, 20];
/** Unknown key ids cause no more reads than one in this time (docs/decisions/sessions.md) ... */
const LOOKUP_MS = 250;
/** ... beside those that every instance does by itself. */
const RELOAD_MS = 900;

onEveryEngine('Unknown signing keys', (engine) => {
  it('Access tokens that name unknown keys cause one read of the keys in 250 ms', async (t) => {
    let reads = 0;
    const { url } = await startService(
      t,
      engine,
      {},
      {
        wrap: (store) =>
          observed(store, {
            before: (operation) => {
              if (operation === LIST_KEYS) reads++;
            },
          }),
      },
    );
    reads = 0;
    const begun = performance.now();
    for (let round = 0; round < ROUNDS; round++) {
      const tokens = Array.from({ length: AT_ONCE }, tokenOfUnknownKey);
      for (const answer of await Promise.all(
        tokens.map((token) => call(url, 'GET', '/api/users/me', { token })),
      ))
        assertFailure(answer, 401, 'token_invalid');
    }
    // A slow machine is no failure here: the longer it takes, the more reads are allowed.
    const took = performance.now() - begun;
    const allowed = 2 + Math.floor(took / LOOKUP_MS) + Math.floor(took / RELOAD_MS);
    assert.ok(reads >= 1, 'a key that another instance has just added is looked for');
    assert.ok(reads <= allowed, `${reads} reads in ${Math.round(took)} ms`);
  });
});

/** Well-formed, and signed by nobody. */
function tokenOfUnknownKey(): string {
  const kid = randomBytes(32).toString('base64url');
  const header = Buffer.from(JSON.stringify({ alg: 'EdDSA', typ: 'at+jwt', kid })).toString('base64url');
  return `${header}.${Buffer.from('{}').toString('base64url')}.${randomBytes(64).toString('base64url')}`;
}
