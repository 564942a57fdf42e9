import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../src/domain/time.ts';
import { type Account, call, login, PASSWORD, refresh } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { reset, tokenIn } from '../support/mail.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { execOn, placeAt } from '../support/place.ts';
import { startReceiver } from '../support/receiver.ts';
import { interruptedDatabase, type KnownOfInterrupted, VERSIONS } from '../support/released-version.ts';
import { codeOf, complete } from '../support/second-factor.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** When what the killed service would have tried again is due, and a challenge is still good. */
const SOON_MS = 2 * MINUTE_MS;
/** When what is in the trash, and an account that was closed, are due. */
const LATER_MS = 32 * DAY_MS;
const UNDONE = `SELECT id FROM mails UNION ALL SELECT message_id FROM webhook_deliveries WHERE status <> 'delivered'`;
const MAILS = [
  'grace@example.org: An authenticator app was turned on for your account',
  'grace@example.org: Choose a new password',
  // The test follows the link of the one before.
  'grace@example.org: Your password was changed',
  'guest@example.org: You are invited',
  'leaves@example.org: Your account was closed',
];

onEveryEngine('A released version that was killed in the middle of work', (engine) => {
  for (const version of VERSIONS)
    it(`What ${version} had left to do when it was killed is done once after the upgrade, and nothing is lost`, async (t) => {
      const { settings, known } = await interruptedDatabase(t, engine, version);
      const [receiver, mails] = [await startReceiver(t), await startMailServer(t)];
      // Nobody listens where the killed service sent to.
      await execOn(settings, `UPDATE webhooks SET url = '${receiver.url}'`);
      const start = (now: number) =>
        startService(
          t,
          { name: engine.name, settings: async () => settings },
          { ...mails.settings, WEBHOOK_PRIVATE: 'on' },
          { clock: () => now },
        );
      const soon = known.stoppedAt + SOON_MS;
      const first = await start(soon);
      const { token } = (await refresh(first.url, known.refreshToken)).body.data;
      await assertSignsIn(first.url, known, soon);
      await assertMadeOnce(first.url, token, known);
      await assertMailed(first.url, mails);
      const heard = () => receiver.received.map(({ body }) => changeIn(body)).sort();
      await until(() => heard().length >= changesOf(known).length, 'the webhook hears of all changes');
      await assertContent(first.url, token, known);
      const { sql } = placeAt(settings);
      await until(async () => (await sql(UNDONE)).length === 0, 'nothing is left to send');
      assert.deepEqual(await waitingIn(first.url, token), [1, 1], 'they are not due yet');
      await first.stop();

      const { url } = await start(known.stoppedAt + LATER_MS);
      const root = await login(url, 'root');
      await until(async () => !(await waitingIn(url, root.token)).some(Boolean), 'what is due is removed');
      const all = [...changesOf(known), `content.purged ${known.trashed}`].sort();
      await until(() => heard().length >= all.length, 'the webhook hears of the removal');
      assert.deepEqual(heard(), all);
      assert.deepEqual(mails.received.map(({ to, subject }) => `${to}: ${subject}`).sort(), MAILS);
    });
});

/** The second half of a login, whose first half the killed service has answered. */
async function assertSignsIn(url: string, known: KnownOfInterrupted, now: number): Promise<void> {
  const code = codeOf(known.totpSecret, now);
  assert.equal((await complete(url, known.challenge, code)).status, 200);
  assertFailure(await complete(url, known.challenge, code), 401, 'challenge_invalid');
}

/** A request that is sent again because its answer was lost makes nothing again. */
async function assertMadeOnce(url: string, token: string, { once, onceId }: KnownOfInterrupted) {
  const headers = { 'idempotency-key': 'in-the-middle' };
  const again = await call(url, 'POST', '/api/content', { token, headers, body: once });
  assert.deepEqual([again.status, again.body.data.id], [200, onceId]);
}

/** The links of mails that waited work once. */
async function assertMailed(url: string, mails: MailServer): Promise<void> {
  const subjects = ['You are invited', 'Choose a new password'];
  const find = (subject = '') => mails.received.find((mail) => mail.subject === subject);
  await until(() => subjects.every(find), 'the mails that waited are sent');
  const [invited, forgotten] = subjects.map(find);
  assert.ok(invited && forgotten);
  const invitation = tokenIn(invited, 'accept-invitation');
  const guest = { username: 'guest', email: 'guest@example.org', password: PASSWORD, invitation };
  const link = tokenIn(forgotten);
  for (const use of [
    () => call(url, 'POST', '/api/auth/register', { body: guest }),
    () => reset(url, link, 'a better horse battery'),
  ]) {
    assert.equal((await use()).status, 200);
    assertFailure(await use(), 400, 'link_invalid');
  }
}

/** Drafts are published, the tag is renamed, and all is found. */
async function assertContent(url: string, token: Account['token'], known: KnownOfInterrupted): Promise<void> {
  const read = async (path: string) => (await call(url, 'GET', path, { token })).body.data;
  const { title, tags, version } = await read(`/api/content/${known.item}`);
  assert.deepEqual([title, tags, version], ['The harbour at noon', ['vessels'], 3]);
  const { status, version: drafted } = await read(`/api/content/${known.draftId}`);
  assert.deepEqual([status, drafted], ['published', 2]);
  const ships = known.ships.length + 1;
  const totals = { 'tag=vessels': ships, 'tag=ships': 0, 'keyword=harbour': ships };
  for (const [query, total] of Object.entries(totals))
    assert.equal((await read(`/api/content?${query}`)).total, total, query);
}

/** How many items are in the trash, and how many accounts are closed. */
function waitingIn(url: string, token: string): Promise<number[]> {
  const paths = ['/api/content/trash', '/api/users?view=admin&state=closed'];
  return Promise.all(
    paths.map(async (path) => Number((await call(url, 'GET', path, { token })).body.data.total)),
  );
}

/** What a webhook has to hear once, whichever part the killed service had done. */
function changesOf({ item, trashed, onceId, draftId, ships }: KnownOfInterrupted): string[] {
  return [
    ...[item, trashed, onceId, draftId, ...ships].map((id) => `content.created ${id}`),
    ...[item, draftId].map((id) => `content.published ${id}`),
    ...[item, ...ships].map((id) => `content.updated ${id}`),
    `content.trashed ${trashed}`,
    // The account that was closed, and the guest.
    'user.removed 3',
    'user.created 4',
  ];
}

function changeIn(body: string): string {
  const { type, data } = JSON.parse(body);
  return `${type} ${data.id}`;
}
