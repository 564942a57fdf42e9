import assert from 'node:assert/strict';
import { it } from 'node:test';
import { listen } from '../content/black-box/event-stream.ts';
import { call, login, newAccount, newItem, newName } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { forget } from '../support/mail.ts';
import { startMailServer } from '../support/mail-server.ts';
import { measured, scrape } from '../support/metrics.ts';
import { newWithRole } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { type RunningService, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const NOW = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;
/** A mail with a link to a new password is given up after so many minutes. */
const TRIED_MINUTES = 30;
/** The figures of the database are read once in this time. */
const MEASURED_MS = 15_000;

/** Resolves when a metric has this value. */
async function untilIs(
  service: RunningService,
  name: string,
  wanted: number,
  labels: Record<string, string> = {},
): Promise<void> {
  await until(async () => (await scrape(service)).value(name, labels) === wanted, `${name} is ${wanted}`);
}

/** As `untilIs`, for a metric that is read from the database. Time passes as often as that needs. */
async function untilMeasured(service: RunningService, name: string, wanted: number): Promise<void> {
  let metrics = await scrape(service);
  while (metrics.value(name) !== wanted) {
    service.passTime(MEASURED_MS);
    metrics = await measured(service, metrics);
  }
}

/**
 * As `untilIs`, for an attempt that the task makes when time has passed. On a busy machine another attempt may have
 * failed before, and the next one is due later. So the task has a whole run after each minute that passes.
 */
async function untilAttempted(
  service: RunningService,
  task: string,
  name: string,
  wanted: number,
  labels: Record<string, string>,
): Promise<void> {
  const isThere = async () => (await scrape(service)).value(name, labels) === wanted;
  const runs = async () => (await scrape(service)).value('stoa_task_runs_total', { task });
  for (let minutes = 0; !(await isThere()); minutes++) {
    assert.ok(minutes < TRIED_MINUTES, `${name} is not ${wanted} after ${minutes} minutes of ${task}`);
    const before = await runs();
    service.passTime(MINUTE);
    // A run counts from its begin, and one may have been under way.
    await until(async () => (await isThere()) || (await runs()) >= before + 2, `a run of ${task} ends`);
  }
}

onEveryEngine('Metrics of what is sent', (engine) => {
  it('Mails that wait, and attempts that are taken, refused, failed or given up, are counted', async (t) => {
    const server = await startMailServer(t);
    const settings = { ...server.settings, METRICS_PORT: '0' };
    const service = await startService(t, engine, settings, { clock: () => NOW });
    const attempts = (outcome: string, wanted: number) =>
      untilIs(service, 'stoa_mail_attempts_total', wanted, { outcome });
    const [first, second] = [await newAccount(service.url), await newAccount(service.url)];
    const gone = await newAccount(service.url, newName('gone'));
    for (const outcome of ['taken', 'refused', 'failed', 'given_up']) await attempts(outcome, 0);

    server.refuse('5.7.1 not now');
    await forget(service.url, first.email);
    await attempts('failed', 1);
    await untilMeasured(service, 'stoa_mails_waiting', 1);
    server.refuse(undefined);
    await untilAttempted(service, 'sending mail', 'stoa_mail_attempts_total', 1, { outcome: 'taken' });
    await untilMeasured(service, 'stoa_mails_waiting', 0);

    server.refuseRecipient('gone', '553 5.1.3 no such address');
    await forget(service.url, gone.email);
    await attempts('refused', 1);

    server.refuse('5.7.1 not now');
    const failed = (await scrape(service)).value('stoa_mail_attempts_total', { outcome: 'failed' });
    await forget(service.url, second.email);
    await attempts('failed', failed + 1);
    service.passTime(TRIED_MINUTES * MINUTE);
    await attempts('given_up', 1);
    await untilMeasured(service, 'stoa_mails_waiting', 0);
  });

  it('Deliveries that wait, attempts that succeed or fail, and webhooks that are paused are counted', async (t) => {
    const settings = { METRICS_PORT: '0', WEBHOOK_PRIVATE: 'on' };
    const service = await startService(t, engine, settings, { clock: () => NOW });
    let status = 500;
    const receiver = await startReceiver(t, (response) => response.writeHead(status).end());
    const admin = await newWithRole(service, 'admin');
    const body = { url: receiver.url, events: ['content.created'] };
    const made = await call(service.url, 'POST', '/api/webhooks', { token: admin.token, body });
    assert.equal(made.status, 200);
    // One that an admin pauses has not failed.
    const other = await call(service.url, 'POST', '/api/webhooks', { token: admin.token, body });
    const path = `/api/webhooks/${other.body.data.id}`;
    await call(service.url, 'PUT', path, { token: admin.token, body: { paused: true } });
    const failed = async () =>
      (await scrape(service)).value('stoa_webhook_attempts_total', { outcome: 'failed' });
    assert.equal(await failed(), 0);

    await newItem(service.url, admin.token);
    await untilIs(service, 'stoa_webhook_attempts_total', 1, { outcome: 'failed' });
    await untilMeasured(service, 'stoa_webhook_deliveries_waiting', 1);
    status = 200;
    const delivered = { outcome: 'delivered' };
    await untilAttempted(service, 'sending webhooks', 'stoa_webhook_attempts_total', 1, delivered);
    await untilMeasured(service, 'stoa_webhook_deliveries_waiting', 0);
    assert.equal((await scrape(service)).value('stoa_webhooks_paused'), 0);

    status = 410;
    const before = await failed();
    const { token } = await login(service.url, admin.username);
    await newItem(service.url, token);
    await untilIs(service, 'stoa_webhook_attempts_total', before + 1, { outcome: 'failed' });
    await untilMeasured(service, 'stoa_webhooks_paused', 1);
  });

  it('Open streams of events are counted until they end', async (t) => {
    const service = await startService(t, engine, { METRICS_PORT: '0' });
    const account = await newAccount(service.url);
    await untilIs(service, 'stoa_event_streams', 0);
    const streams = [await listen(service.url, account), await listen(service.url, account)];
    await untilIs(service, 'stoa_event_streams', 2);
    for (const [index, stream] of streams.entries()) {
      stream.close();
      await untilIs(service, 'stoa_event_streams', 1 - index);
    }
  });
});
