import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { call, login, newAccount } from '../test/support/client.ts';
import { known as first } from '../test/support/earlier-version.ts';
import { ENGINES, emptySettings, type TestEngine } from '../test/support/engines.ts';
import { forget } from '../test/support/mail.ts';
import { execOn, placeAt } from '../test/support/place.ts';
import { startProcess } from '../test/support/process.ts';
import { releasedService, VERSIONS } from '../test/support/released-version.ts';
import { challengeOf, guard } from '../test/support/second-factor.ts';
import { until } from '../test/support/until.ts';
import { dumpOf } from './dump-of.ts';

// Kills the kept program of the newest released version in the middle of work, and writes what it leaves behind into
// test/fixtures/<version>/interrupted. It is run once, after `release-program.ts`, and needs pg_dump as
// `release-fixture.ts` does. Where the program was too fast for the kill, it says so: run it again.

const VERSION = VERSIONS.at(-1) ?? '';
const FOLDER = new URL(`../test/fixtures/${VERSION}/interrupted/`, import.meta.url);
/** Nobody listens there. */
const NOWHERE = '127.0.0.1:9';
/** A draft is due after this time, when the program has been killed. */
const SOON_MS = 15_000;
/** Items of the last request, whose work the kill interrupts. */
const LAST_ITEMS = 12;
/** As small as they may be in git, and more than the program reads in a moment. */
const TEXT = 'Ships come to the harbour. '.repeat(400);
/** What has to wait at the end, by the statement that counts it. */
const WAITING = {
  'a mail that was tried': 'SELECT count(*) AS n FROM mails WHERE attempts > 0',
  'a delivery that was tried': `SELECT count(*) AS n FROM webhook_deliveries WHERE status = 'waiting' AND attempts > 0`,
  'a change that the webhook has not read': `SELECT (SELECT count(*) FROM unnumbered_changes) +
    (SELECT count(*) FROM changes WHERE number > (SELECT max(number) FROM change_readers)) AS n`,
  'a draft that is not published': `SELECT count(*) AS n FROM content WHERE status = 'draft'`,
  'a draft beside an item': 'SELECT count(*) AS n FROM content_drafts WHERE publish_at IS NOT NULL',
  'a renaming under way': 'SELECT count(*) AS n FROM label_renames WHERE ended_at IS NULL',
};

async function interrupted(t: Lifetime, engine: TestEngine) {
  const settings = { ...(await emptySettings(t, engine)), SEALING_KEY: first.sealingKey };
  const service = await startProcess(
    t,
    {
      ...settings,
      ...{ CONSOLE: 'off', PUBLIC_URL: first.publicUrl, WEBHOOK_PRIVATE: 'on' },
      ...{ SMTP_URL: `smtp://${NOWHERE}?tls=off`, MAIL_FROM: 'Stoa <stoa@example.org>' },
    },
    await releasedService(t, VERSION),
  );
  const { url } = service;
  const root = await newAccount(url, 'root');
  await execOn(settings, `UPDATE users SET role = 'admin' WHERE username = 'root'`);
  const { token, refreshToken } = await login(url, 'root');
  const made = async (method: string, path: string, body?: object, headers = {}, as = token) => {
    const answer = await call(url, method, path, {
      undocumented: true,
      token: as,
      headers,
      ...(body && { body }),
    });
    if (answer.status !== 200)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  const grace = await guard(url, await newAccount(url, 'grace'));
  const leaves = await newAccount(url, 'leaves');
  await made('POST', '/api/webhooks', { url: `http://${NOWHERE}/hook`, events: ['*'] });
  const tags = ['ships'];
  const { id: item } = await made('POST', '/api/content', { title: 'The harbour', content: TEXT, tags });
  const { id: trashed } = await made('POST', '/api/content', { title: 'Thrown away', content: '' });
  await made('DELETE', `/api/content/${trashed}`);
  await made('DELETE', '/api/users/me', undefined, {}, leaves.token);
  await made('POST', '/api/invitations', { email: 'guest@example.org', role: 'editor' });
  await forget(url, grace.email);
  const once = { title: 'Once', content: '' };
  const key = { 'idempotency-key': 'in-the-middle' };
  const { id: onceId } = await made('POST', '/api/content', once, key);
  const [{ sql }, tried] = [
    placeAt(settings),
    ['a mail that was tried', 'a delivery that was tried'] as const,
  ];
  const waiting = async (what: keyof typeof WAITING) => Number((await sql(WAITING[what]))[0]?.n);
  for (const each of tried) await until(async () => (await waiting(each)) > 0, each);
  const publish_at = new Date(Date.now() + SOON_MS).toISOString();
  const draft = { title: 'Not yet', content: 'A draft.', status: 'draft', publish_at };
  const { id: draftId } = await made('POST', '/api/content', draft);
  await made('PUT', `/api/content/${item}/draft`, { title: 'The harbour at noon', publish_at });
  const challenge = await challengeOf(url, 'grace');
  const one = (_: unknown, index: number) => ({
    action: 'create',
    item: { title: `Ship ${index}`, content: TEXT, tags },
  });
  const [{ results }] = await Promise.all([
    made('POST', '/api/content/bulk', { operations: Array.from({ length: LAST_ITEMS }, one) }),
    made('PUT', '/api/content/tags/ships', { name: 'vessels' }),
  ]);
  const stoppedAt = Date.now();
  await service.stop('SIGKILL');
  // Before anybody opens the database, who would put the log into the file.
  const files = filesOf(settings);
  for (const what of Object.keys(WAITING) as (keyof typeof WAITING)[])
    if ((await waiting(what)) === 0) throw new Error(`${engine.name} did not leave ${what}: run this again.`);
  const ships = results.map(({ id }: { id: number }) => id);
  const known = { ...{ stoppedAt, refreshToken, challenge, totpSecret: grace.secret, rootId: root.id } };
  return { files, known: { ...known, item, trashed, onceId, draftId, ships, once } };
}

/** On SQLite with the log, because the newest writes are only there. */
function filesOf(settings: Record<string, string>): [name: string, Buffer][] {
  const { DATA_DIR } = settings;
  if (DATA_DIR === undefined) return [['stoa.sql', dumpOf(settings)]];
  const names = readdirSync(DATA_DIR).filter((name) => /^stoa\.db(-derived)?(-wal)?$/.test(name));
  return names.map((name) => [name, readFileSync(`${DATA_DIR}/${name}`)]);
}

type Lifetime = Parameters<typeof emptySettings>[0];
const works: (() => unknown)[] = [];
const lifetime: Lifetime = { after: (work?: unknown) => void works.unshift(work as () => unknown) };
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const known: Record<string, object> = {};
for (const engine of ENGINES) {
  const left = await interrupted(lifetime, engine);
  known[engine.name] = left.known;
  for (const [name, bytes] of left.files)
    writeFileSync(new URL(`${name}.gz`, FOLDER), gzipSync(bytes, { level: 9 }));
}
writeFileSync(new URL('known.json', FOLDER), `${JSON.stringify(known, undefined, 1)}\n`);
for (const work of works) await work();
