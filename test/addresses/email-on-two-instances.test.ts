// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createAccount } from '../../src/accounts/create.ts';
import { confirmEmailChange } from '../../src/addresses/confirm-change.ts';
import { useVerification } from '../../src/addresses/verify.ts';
import { acceptInvitation } from '../../src/registrations/accept-invitation.ts';
import { during, outcomeOf } from '../support/during.ts';
import { newTestLink } from '../support/email.ts';
import { execute, newMigratedDatabase } from '../support/postgres.ts';
import { openInstance, startService } from '../support/service.ts';
import { ADA } from '../support/store.ts';

const ORIGIN = { address: '203.0.113.7', source: '203.0.113.7', requestId: 'r' };

describe('Two instances that follow links at once', { concurrency: true }, () => {
  it('A registration link followed on two instances at once makes one account', async (t) => {
    const { url, stores } = await twoInstances(t);
    await execute(url, registrationOf('ada'));
    const proof = { tokenHash: 'ada', mayRegister: true, now: 1, origin: ORIGIN };
    const rows = ['select id from links for update'];
    const outcomes = await during(url, rows, 2, () =>
      stores.map((store) => outcomeOf(store.write(useVerification, proof))),
    );
    assert.deepEqual(outcomes.toSorted(), ['done', 'link_invalid']);
    assert.equal((await execute(url, 'select id from users')).length, 1);
  });

  it('Two registration links for one address followed at once make one account', async (t) => {
    const { url, stores } = await twoInstances(t);
    for (const name of ['ada', 'bob']) await execute(url, registrationOf(name));
    const rows = ['select id from links for update'];
    const outcomes = await during(url, rows, 2, () =>
      stores.map((store, index) => {
        const tokenHash = ['ada', 'bob'][index] ?? '';
        const proof = { tokenHash, mayRegister: true, now: 1, origin: ORIGIN };
        return outcomeOf(store.write(useVerification, proof));
      }),
    );
    assert.deepEqual(outcomes.toSorted(), ['done', 'link_invalid']);
    assert.equal((await execute(url, 'select id from users')).length, 1);
    assert.equal((await execute(url, 'select id from links')).length, 0);
  });

  it('An address that two accounts confirm at once belongs to one of them', async (t) => {
    const { url, stores, sealing } = await twoInstances(t);
    for (const username of ['ada', 'bob']) {
      const account = { ...ADA, username, email: `${username}@example.org` };
      const { id } = await stores[0].write(createAccount, account);
      await execute(
        url,
        `insert into links (token_hash, purpose, user_id, email, email_key, carries, expires_at)
          values ('${username}', 'change_email', ${id}, 'new@example.org', 'new@example.org', '{}', 2)`,
      );
    }
    const outcomes = await during(url, ['select id from users for update'], 2, () =>
      stores.map((store, index) => {
        const tokenHash = ['ada', 'bob'][index] ?? '';
        const undo = newTestLink({ sealing }).link;
        const change = { tokenHash, undo, now: 1, origin: ORIGIN };
        return outcomeOf(store.write(confirmEmailChange, change));
      }),
    );
    assert.deepEqual(outcomes.toSorted(), ['done', 'taken']);
    const emails = await execute<{ email: string }>(url, 'select email from users order by email');
    assert.equal(emails.filter(({ email }) => email === 'new@example.org').length, 1);
  });

  it('An invitation used on two instances at once makes one account', async (t) => {
    const { url, stores } = await twoInstances(t);
    const { id } = await stores[0].write(createAccount, { ...ADA, role: 'admin' });
    await execute(
      url,
      `insert into links (token_hash, purpose, user_id, email, email_key, carries, expires_at)
        values ('h', 'invite', ${id}, 'b@example.org', 'b@example.org', '{"role":"admin","created_at":0}', 2)`,
    );
    const email = 'b@example.org';
    const invited = { tokenHash: 'h', email, passwordHash: '', given: {}, now: 1, origin: ORIGIN };
    const outcomes = await during(url, ['select id from links for update'], 2, () =>
      stores.map((store, index) => {
        const acceptance = { ...invited, username: `invited${index}` };
        return outcomeOf(store.write(acceptInvitation, acceptance));
      }),
    );
    assert.deepEqual(outcomes.toSorted(), ['done', 'link_invalid']);
    assert.equal((await execute(url, `select id from users where username like 'invited%'`)).length, 1);
  });
});

/** A registration of one address that waits, as a statement. Its token has the hash `username`. */
function registrationOf(username: string): string {
  return `insert into links (token_hash, purpose, email, email_key, source_key, carries, expires_at)
    values ('${username}', 'register', 'a@example.org', 'a@example.org', 's',
      '{"username":"${username}","password_hash":""}', 2)`;
}

async function twoInstances(t: TestContext) {
  const url = await newMigratedDatabase();
  const settings = async () => ({ DATABASE_URL: url });
  const one = await startService(t, { name: 'PostgreSQL', settings });
  const other = await openInstance(url);
  t.after(() => other.close());
  return { url, sealing: one.sealing, stores: [one.store, other] as const };
}
