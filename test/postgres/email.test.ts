import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { confirmEmailChange } from '../../src/auth/email/confirm-change.ts';
import { useVerification } from '../../src/auth/email/verify.ts';
import { acceptInvitation } from '../../src/auth/invitations/accept.ts';
import { createAccount } from '../../src/auth/register.ts';
import { openStore } from '../../src/open-store.ts';
import { during, outcomeOf } from '../support/during.ts';
import { newTestLink } from '../support/email.ts';
import { execute, newPostgresDatabase } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { ADA } from '../support/store.ts';

const ORIGIN = { address: '203.0.113.7', source: '203.0.113.7', requestId: 'r' };

describe('Of two instances that follow links at once', { concurrency: true }, () => {
  it('one makes the account of a registration, by the same link', async (t) => {
    const { url, stores } = await twoInstances(t);
    await execute(
      url,
      `insert into pending_registrations values ('h', 'ada', 'a@example.org', 'a@example.org', '', 's', 2)`,
    );
    const proof = { tokenHash: 'h', mayRegister: true, now: 1, origin: ORIGIN };
    const rows = ['select token_hash from pending_registrations for update'];
    const outcomes = await during(url, rows, 2, () =>
      stores.map((store) => outcomeOf(store.write(useVerification, proof).then(madeOrNot))),
    );
    assert.deepEqual(outcomes.toSorted(), ['made', 'of no use']);
    assert.equal((await execute(url, 'select id from users')).length, 1);
  });

  it('one makes the account of a registration, by two links for the same address', async (t) => {
    const { url, stores } = await twoInstances(t);
    for (const name of ['ada', 'bob'])
      await execute(
        url,
        `insert into pending_registrations values ('${name}', '${name}', 'a@example.org', 'a@example.org', '', 's', 2)`,
      );
    const rows = ['select token_hash from pending_registrations for update'];
    const outcomes = await during(url, rows, 2, () =>
      stores.map((store, index) => {
        const tokenHash = ['ada', 'bob'][index] ?? '';
        const proof = { tokenHash, mayRegister: true, now: 1, origin: ORIGIN };
        return outcomeOf(store.write(useVerification, proof).then(madeOrNot));
      }),
    );
    assert.deepEqual(outcomes.toSorted(), ['made', 'of no use']);
    assert.equal((await execute(url, 'select id from users')).length, 1);
    assert.equal((await execute(url, 'select token_hash from pending_registrations')).length, 0);
  });

  it('one of two accounts gets an address that both confirm', async (t) => {
    const { url, stores, sealing } = await twoInstances(t);
    for (const username of ['ada', 'bob']) {
      const account = { ...ADA, username, email: `${username}@example.org` };
      const { id } = await stores[0].write(createAccount, account);
      await execute(
        url,
        `insert into email_links values ('${username}', ${id}, 'change', 'new@example.org', 'new@example.org', 2)`,
      );
    }
    const outcomes = await during(url, ['select id from users for update'], 2, () =>
      stores.map((store, index) => {
        const tokenHash = ['ada', 'bob'][index] ?? '';
        const wayBack = newTestLink({ sealing }).link;
        const change = { tokenHash, wayBack, now: 1, origin: ORIGIN };
        return outcomeOf(store.write(confirmEmailChange, change).then(String));
      }),
    );
    assert.deepEqual(outcomes.toSorted(), ['taken', 'true']);
    const emails = await execute<{ email: string }>(url, 'select email from users order by email');
    assert.equal(emails.filter(({ email }) => email === 'new@example.org').length, 1);
  });

  it('one uses an invitation', async (t) => {
    const { url, stores } = await twoInstances(t);
    const { id } = await stores[0].write(createAccount, { ...ADA, role: 'admin' });
    await execute(
      url,
      `insert into invitations (token_hash, email, email_key, role, invited_by, created_at, expires_at)
        values ('h', 'b@example.org', 'b@example.org', 'admin', ${id}, 0, 2)`,
    );
    const email = 'b@example.org';
    const invited = { tokenHash: 'h', email, passwordHash: '', now: 1, origin: ORIGIN };
    const outcomes = await during(url, ['select id from invitations for update'], 2, () =>
      stores.map((store, index) => {
        const acceptance = { ...invited, username: `invited${index}` };
        return outcomeOf(store.write(acceptInvitation, acceptance).then(madeOrNot));
      }),
    );
    assert.deepEqual(outcomes.toSorted(), ['made', 'of no use']);
    assert.equal((await execute(url, `select id from users where username like 'invited%'`)).length, 1);
  });
});

function madeOrNot(user: object | undefined | null): string {
  return user ? 'made' : 'of no use';
}

async function twoInstances(t: TestContext) {
  const url = await newPostgresDatabase();
  const settings = async () => ({ DATABASE_URL: url });
  const one = await startService(t, { name: 'PostgreSQL', settings });
  const other = await openStore({ kind: 'postgres', url, poolSize: 4 }, { notice: () => {} });
  t.after(() => other.close());
  return { url, sealing: one.sealing, stores: [one.store, other] as const };
}
