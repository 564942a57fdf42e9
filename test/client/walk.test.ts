import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createClient, memoryTokens } from '../../client/src/index.ts';
import { newAccount, newName, PASSWORD } from '../support/client.ts';
import { onOneEngine } from '../support/engines.ts';
import { importInto } from '../support/people.ts';
import { startService } from '../support/service.ts';

const HASH =
  '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

onOneEngine('A walk of the client', (engine) => {
  it('A walk over 10,050 users gives each of them once, while 100 others register', async (t) => {
    const service = await startService(t, engine);
    const { username } = await newAccount(service.url);
    const stoa = createClient({ url: service.url, tokens: memoryTokens() });
    assert.ok((await stoa.signIn({ username, password: PASSWORD })).ok);
    const people = (count: number) =>
      importInto(
        service.store,
        Array.from({ length: count }, () => ({ username: newName(), passwordHash: HASH })),
      );
    for (let count = 0; count < 10_050; count += 402) await people(402);
    const before = await stoa.call('listUsers', { query: { per_page: 1 } });
    // The one who walks is there too.
    assert.equal(before.ok && before.data.total, 10_051);
    const seen: number[] = [];
    let registered = 0;
    for await (const { id } of stoa.walk('listUsers', { query: { per_page: 100 } })) {
      if (seen.length % 100 === 50 && registered < 100) registered += (await people(1)).length;
      seen.push(id);
    }
    assert.equal(registered, 100);
    assert.equal(new Set(seen).size, seen.length);
    const after = await stoa.call('listUsers', { query: { per_page: 1 } });
    assert.deepEqual([seen.length, after.ok && after.data.total], [10_151, 10_151]);
  });
});
