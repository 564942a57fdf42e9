// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setRole } from '../../src/accounts/administer.ts';
import { changeUser } from '../../src/accounts/change.ts';
import { closeOwnAccount } from '../../src/accounts/close.ts';
import { createAccount } from '../../src/accounts/create.ts';
import { bulkContent } from '../../src/bulk/bulk.ts';
import { createContent, createNumbered } from '../../src/content/create.ts';
import { createContentOnce } from '../../src/content/create-once.ts';
import { deleteContent } from '../../src/content/delete.ts';
import { updateContent } from '../../src/content/update.ts';
import { removePasskey } from '../../src/factors/passkeys/remove.ts';
import { removeTotp } from '../../src/factors/totp/remove.ts';
import type { CallerKey } from '../../src/sessions/living-session.ts';
import { answerOtherToken } from '../../src/sessions/other-token.ts';
import { revokeSession } from '../../src/sessions/revoke.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { during, outcomeOf } from '../support/during.ts';
import { execute, newPostgresDatabase } from '../support/postgres.ts';
import { ADA, newCaller, newSession, openStoreOn } from '../support/store.ts';

const ITEM = { title: 't', content: 'c', ...BARE_ITEM, now: 1 };
const BOB = { ...ADA, username: 'bob', email: 'bob@example.org' } as const;
const BY_ADMIN = {
  sendsMail: false,
  origin: { address: '203.0.113.7', source: '203.0.113.7', requestId: 'r' },
  now: 1,
};
const DISABLE = [
  'update users set disabled_at = 1',
  `update sessions set ended_at = 1, ended_because = 'disabled'`,
];

describe('Rights that end during a write on PostgreSQL', { concurrency: true }, () => {
  it('A write waits for the end of its session, and then does nothing', async (t) => {
    const { url, store } = await opened(t);
    const caller = await newCaller(store);
    // Five writes of one account would not wait for the database at once.
    const other = await newCaller(store, BOB);
    const { id } = await store.write(createContent, { ...ITEM, ...caller });
    const writes = () => [
      store.write(createNumbered, { row: ITEM, caller: other, now: 1 }),
      store.write(updateContent, { id, caller, columns: { title: 'u' }, now: 1 }),
      store.write(deleteContent, { id, caller, now: 1, isForGood: false }),
      store.write(bulkContent, {
        steps: [{ action: 'delete', id, onlyIf: undefined }],
        key: undefined,
        isForGood: false,
        caller,
        now: 1,
      }),
      store.write(createContentOnce, {
        row: ITEM,
        key: { userId: other.userId, keyHash: 'k', fingerprint: 'f' },
        caller: other,
        now: 1,
      }),
    ];
    const outcomes = await during(url, DISABLE, 5, () => writes().map(outcomeOf));
    assert.deepEqual([...new Set(outcomes)], ['token_revoked']);
    assert.deepEqual(await execute(url, 'select title, visible::int from content'), [
      { title: 't', visible: 1 },
    ]);
  });

  it('A write waits for the end of its role, and then does nothing', async (t) => {
    const { url, store } = await opened(t);
    const author = await newCaller(store);
    const editor = await newCaller(store, { ...BOB, role: 'editor' });
    const { id } = await store.write(createContent, { ...ITEM, ...author });
    const demote = [`update users set role = 'member' where id = ${editor.userId}`];
    const steps = [{ action: 'delete', id, onlyIf: undefined }] as const;
    const outcomes = await during(url, demote, 3, () => [
      outcomeOf(store.write(updateContent, { id, caller: editor, columns: { title: 'u' }, now: 1 })),
      outcomeOf(store.write(deleteContent, { id, caller: editor, now: 1, isForGood: false })),
      outcomeOf(
        store.write(bulkContent, { steps, key: undefined, isForGood: false, caller: editor, now: 1 }),
      ),
    ]);
    assert.deepEqual(outcomes, ['forbidden', 'forbidden', 'forbidden']);
    assert.deepEqual(await execute(url, 'select title, visible::int from content'), [
      { title: 't', visible: 1 },
    ]);
  });

  it('A replay during a logout leaves the reason of the logout', async (t) => {
    const { url, store } = await opened(t);
    const { sessionId, userId } = await newCaller(store);
    const logOut = [`update sessions set ended_at = 1, ended_because = 'logout'`];
    const replay = {
      ...{ sessionId, userId, presentedHash: '', successorKey: new Uint8Array(32) },
      ...{ now: 2, origin: null },
    };
    const outcomes = await during(url, logOut, 1, () => [outcomeOf(store.write(answerOtherToken, replay))]);
    assert.deepEqual(outcomes, ['revoked']);
    const ended = await execute(url, 'select ended_at::int, ended_because from sessions');
    assert.deepEqual(ended, [{ ended_at: 1, ended_because: 'logout' }]);
    // It ended nothing, so the trail says nothing of it.
    const reuse = `select id from audit_events where event = 'token_reused'`;
    assert.deepEqual(await execute(url, reuse), []);
  });

  it('Two sessions that end each other on two instances leave one of them', async (t) => {
    const { url, store } = await opened(t);
    const other = await openStoreOn(t, { kind: 'postgres', url, poolSize: 2 });
    const one = await newCaller(store);
    const two = { userId: one.userId, sessionId: await newSession(store, one.userId, ADA.passwordHash) };
    const origin = { address: '203.0.113.7', source: '203.0.113.7', requestId: 'r' };
    const outcomes = await during(url, ['select id from sessions for update'], 2, () => [
      outcomeOf(store.write(revokeSession, { id: two.sessionId, caller: one, origin, now: 1 })),
      outcomeOf(other.write(revokeSession, { id: one.sessionId, caller: two, origin, now: 1 })),
    ]);
    assert.deepEqual(outcomes.toSorted(), ['done', 'token_revoked']);
    assert.equal((await execute(url, 'select id from sessions where ended_at is null')).length, 1);
  });

  it('Two admins whose roles are taken at once on two instances leave one admin', async (t) => {
    const { url, store } = await opened(t);
    const other = await openStoreOn(t, { kind: 'postgres', url, poolSize: 2 });
    for (const account of [ADA, BOB]) await store.write(createAccount, { ...account, role: 'admin' });
    const lockBoth = ['select id from users for update'];
    const outcomes = await during(url, lockBoth, 2, () => [
      outcomeOf(store.write(setRole, { account: 'ada', role: 'member', now: 1 })),
      outcomeOf(other.write(setRole, { account: 'bob', role: 'member', now: 1 })),
    ]);
    assert.deepEqual(outcomes.toSorted(), ['done', 'last_admin']);
    assert.equal((await execute(url, `select id from users where role = 'admin'`)).length, 1);
  });

  for (const whom of ['the other', 'itself'] as const)
    it(`Each of two admins demotes ${whom} at once on two instances, and one stays an admin`, async (t) => {
      const { url, store } = await opened(t);
      const other = await openStoreOn(t, { kind: 'postgres', url, poolSize: 2 });
      const one = await newCaller(store, { ...ADA, role: 'admin' });
      const two = await newCaller(store, { ...BOB, role: 'admin' });
      const demote = (caller: CallerKey) => {
        const id = (caller === one) === (whom === 'itself') ? one.userId : two.userId;
        return { ...BY_ADMIN, caller, id, role: 'member' as const };
      };
      const outcomes = await during(url, ['select id from users for update'], 2, () => [
        outcomeOf(store.write(changeUser, demote(one))),
        outcomeOf(other.write(changeUser, demote(two))),
      ]);
      assert.deepEqual(outcomes.toSorted(), ['done', whom === 'itself' ? 'last_admin' : 'forbidden']);
      assert.equal((await execute(url, `select id from users where role = 'admin'`)).length, 1);
    });

  it('Two admins who close their accounts at once on two instances leave one admin', async (t) => {
    const { url, store } = await opened(t);
    const other = await openStoreOn(t, { kind: 'postgres', url, poolSize: 2 });
    const one = await newCaller(store, { ...ADA, role: 'admin' });
    const two = await newCaller(store, { ...BOB, role: 'admin' });
    const closing = { ...BY_ADMIN, content: 'keep', closesAt: 1 } as const;
    const outcomes = await during(url, ['select id from users for update'], 2, () => [
      outcomeOf(store.write(closeOwnAccount, { ...closing, caller: one })),
      outcomeOf(other.write(closeOwnAccount, { ...closing, caller: two })),
    ]);
    assert.deepEqual(outcomes.toSorted(), ['done', 'last_admin']);
    assert.equal((await execute(url, 'select id from users where closes_at is null')).length, 1);
  });

  it('Two factors removed at once on two instances leave one where one is required', async (t) => {
    const { url, store } = await opened(t);
    const other = await openStoreOn(t, { kind: 'postgres', url, poolSize: 2 });
    const caller = await newCaller(store);
    const { userId: id } = caller;
    await execute(url, 'update users set second_factor = 1');
    await execute(url, `insert into totp_secrets values ('t', ${id}, 's', 1, 1, 0)`);
    await execute(url, `insert into passkeys values ('p', ${id}, 'c', 'k', 0, '[]', 'n', 1, null)`);
    const removal = { ...BY_ADMIN, caller, mfaRequired: 'all' } as const;
    const outcomes = await during(url, ['lock table audit_events in exclusive mode'], 2, () => [
      outcomeOf(store.write(removeTotp, removal)),
      outcomeOf(other.write(removePasskey, { ...removal, id: 'p' })),
    ]);
    assert.deepEqual(outcomes.toSorted(), ['done', 'forbidden']);
    const left = await execute(url, 'select id from totp_secrets union all select id from passkeys');
    assert.equal(left.length, 1);
  });

  it('A change by an admin waits for the end of the role, and then changes no account', async (t) => {
    const { url, store } = await opened(t);
    await newCaller(store, { ...ADA, role: 'admin' });
    const caller = await newCaller(store, { ...BOB, role: 'admin' });
    const { userId: id } = await newCaller(store, { ...ADA, username: 'eve', email: 'eve@example.org' });
    const demote = [`update users set role = 'member' where id = ${caller.userId}`];
    const outcomes = await during(url, demote, 1, () => [
      outcomeOf(store.write(changeUser, { ...BY_ADMIN, caller, id, disabled: true })),
    ]);
    assert.deepEqual(outcomes, ['forbidden']);
    assert.deepEqual(await execute(url, 'select id from users where disabled_at is not null'), []);
  });
});

async function opened(t: TestContext) {
  const url = await newPostgresDatabase();
  const store = await openStoreOn(t, { kind: 'postgres', url, poolSize: 10 });
  return { url, store };
}
