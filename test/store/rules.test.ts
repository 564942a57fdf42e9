import assert from 'node:assert/strict';
import { it } from 'node:test';
import { disableAccount, enableAccount, setRole } from '../../src/accounts/administer.ts';
import { hasAdmin } from '../../src/accounts/admins.ts';
import { createAccount } from '../../src/accounts/create.ts';
import { createContent } from '../../src/content/create.ts';
import { deleteContent } from '../../src/content/delete.ts';
import { updateContent } from '../../src/content/update.ts';
import { Failure } from '../../src/domain/failure.ts';
import { openSealingOf } from '../../src/open-sealing.ts';
import { parseKey } from '../../src/services/sealing/key.ts';
import { ensureSigningKey } from '../../src/sessions/keys.ts';
import { findCaller } from '../../src/sessions/session.ts';
import { listSigningKeys } from '../../src/sessions/signing-keys.ts';
import { startSession } from '../../src/sign-in/login.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { onEveryEngine } from '../support/engines.ts';
import { SEALING_KEY } from '../support/sealing.ts';
import { ADA as NEWCOMER, newCaller, newDatabase, openStoreOn } from '../support/store.ts';

const ADA = { ...NEWCOMER, passwordHash: 'h' };
const ROUNDS = 25;

onEveryEngine('Rules that a write decides', (engine) => {
  it('An item that is changed and deleted at once is deleted once, and a change is made or not found', async (t) => {
    const store = await openStoreOn(t, await newDatabase(t, engine));
    const caller = await newCaller(store, ADA);
    const outcome = (write: Promise<unknown>) =>
      write.then(
        () => 'done',
        (error) => (error instanceof Failure ? error.data.error : String(error)),
      );
    for (let round = 0; round < ROUNDS; round++) {
      const item = { title: 't', content: '', ...BARE_ITEM, tags: '["a"]', ...caller, now: 0 };
      const { id } = await store.write(createContent, item);
      const change = { title: 'u', tags: '["b","c"]' };
      const changes = [1, 2, 3].map(() =>
        outcome(store.write(updateContent, { id, caller, columns: change, now: 1 })),
      );
      const deletions = [1, 2].map(() =>
        outcome(store.write(deleteContent, { id, caller, now: 1, isForGood: false })),
      );
      assert.deepEqual((await Promise.all(deletions)).toSorted(), ['done', 'not_found']);
      for (const each of await Promise.all(changes)) assert.ok(['done', 'not_found'].includes(each), each);
    }
  });

  it('An account that is disabled while it logs in has no living session afterwards', async (t) => {
    const store = await openStoreOn(t, await newDatabase(t, engine));
    const { id: userId } = await store.write(createAccount, ADA);
    let begun = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const sessions = Array.from({ length: 6 }, (_, index) => `session-${round}-${index}`);
      const logins = sessions.map((sessionId) =>
        store.write(startSession, {
          sessionId,
          tokenHash: 't',
          userId,
          checkedHash: 'h',
          most: 50,
          now: 1,
          origin: null,
        }),
      );
      await store.write(disableAccount, { account: 'ada', now: 2 });
      begun += (await Promise.all(logins)).filter(Boolean).length;
      await store.write(enableAccount, { account: 'ada', now: 2 });
      const living = await Promise.all(
        sessions.map((sessionId) => store.read(findCaller, { sessionId, userId, now: 3 })),
      );
      assert.deepEqual(living, [null, null, null, null, null, null]);
    }
    t.diagnostic(`${begun} of ${6 * ROUNDS} began before the account was disabled`);
  });

  it('Of two admins that are demoted or disabled at once by two instances, one stays', async (t) => {
    const database = await newDatabase(t, engine);
    const stores = [await openStoreOn(t, database), await openStoreOn(t, database)] as const;
    const admin = { ...ADA, role: 'admin' } as const;
    await stores[0].write(createAccount, { ...admin, username: 'bob', email: 'bob@example.org' });
    await stores[0].write(createAccount, admin);
    const [demoted, disabled] = await Promise.allSettled([
      stores[0].write(setRole, { account: 'Ada', role: 'member', now: 1 }),
      stores[1].write(disableAccount, { account: 'bob@example.org', now: 1 }),
    ]);
    const refused = demoted.status === 'rejected' ? demoted : disabled;
    const last = demoted.status === 'rejected' ? 'ada' : 'bob';
    assert.deepEqual([demoted.status, disabled.status].toSorted(), ['fulfilled', 'rejected']);
    assert.ok(refused.status === 'rejected' && refused.reason instanceof Failure);
    assert.equal(refused.reason.message, `"${last}" is the last admin; make another admin first.`);
    assert.equal(await stores[0].read(hasAdmin, null), true);
    const other = last === 'ada' ? 'bob' : 'ada';
    await stores[0].write(enableAccount, { account: other, now: 2 });
    await stores[0].write(setRole, { account: other, role: 'admin', now: 2 });
    await stores[0].write(disableAccount, { account: last, now: 2 });
  });

  it('Several instances that start at once on an empty database have one signing key', async (t) => {
    const database = await newDatabase(t, engine);
    const stores = [await openStoreOn(t, database), await openStoreOn(t, database)];
    await Promise.all(
      stores.map(async (store) => {
        const sealing = await openSealingOf(
          { database, sealingKey: parseKey(SEALING_KEY), sealingKeyFile: '' },
          store,
        );
        await Promise.all([1, 2, 3].map((now) => ensureSigningKey(store, sealing, now)));
      }),
    );
    for (const store of stores) assert.equal((await store.read(listSigningKeys, null)).length, 1);
  });
});
