// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { claimDueMails } from '../../src/services/mail/outbox.ts';
import { claimDeliveries } from '../../src/webhooks/claim.ts';
import { during } from '../support/during.ts';
import { execute, newMigratedDatabase } from '../support/postgres.ts';
import { openInstance } from '../support/service.ts';

const NOW = 1_000;

it('A mail that another write deletes while it is claimed is not sent', async (t) => {
  const { url, store } = await opened(t);
  await execute(
    url,
    `insert into mails (id, recipient, template, template_values, made_at, attempts, next_attempt_at, give_up_at)
      values ('m', 'ada@example.org', 'password_changed', '{}', 0, 0, 0, 9000)`,
  );
  const claim = async () => `${(await store.write(claimDueMails, NOW)).mails.length} claimed`;
  assert.deepEqual(await during(url, ['delete from mails'], 1, () => [claim()]), ['0 claimed']);
});

for (const changed of ['attempts = 0', 'next_attempt_at = 1'])
  it(`A delivery that another write queues again while it is claimed is not sent, where it has ${changed}`, async (t) => {
    const { url, store } = await opened(t);
    await execute(
      url,
      `insert into webhooks (url, events, description, created_at) values ('https://a.example', '[]', '', 0)`,
    );
    await execute(
      url,
      `insert into webhook_deliveries
        (webhook_id, message_id, event, subject, payload, made_at, status, attempts, next_attempt_at)
        select id, 'm', 'content.created', 's', '{}', 0, 'waiting', 3, 0 from webhooks`,
    );
    const claim = async () =>
      `${(await store.write(claimDeliveries, { now: NOW, full: [] })).length} claimed`;
    const queued = `update webhook_deliveries set ${changed}`;
    assert.deepEqual(await during(url, [queued], 1, () => [claim()]), ['0 claimed']);
    assert.equal(await claim(), '1 claimed');
  });

async function opened(t: TestContext) {
  const url = await newMigratedDatabase();
  const store = await openInstance(url);
  t.after(() => store.close());
  return { url, store };
}
