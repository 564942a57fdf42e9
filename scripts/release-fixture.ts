import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import manifest from '../package.json' with { type: 'json' };
import { readConfig } from '../src/config.ts';
import { migrateStore } from '../src/migrate-store.ts';
import { type Answer, call, login, refresh } from '../test/support/client.ts';
import { known as first, oldDatabase } from '../test/support/earlier-version.ts';
import { ENGINES } from '../test/support/engines.ts';
import { execOn, placeAt } from '../test/support/place.ts';
import { startService } from '../test/support/service.ts';
import { dumpOf } from './dump-of.ts';

// Writes what a service of this version leaves behind into test/fixtures/<version>: its database on both engines, and what
// it answered. It is run once, when the version is released. It needs pg_dump, and STOA_TEST_POSTGRES where that is older than the
// server of the tests.

const FOLDER = new URL(`../test/fixtures/${manifest.version}/`, import.meta.url);
/** What clients ask for, and later versions still answer. */
const pathsOf = (item: number) => [
  '/api/content?per_page=100',
  '/api/content?keyword=harbour',
  '/api/content?status=draft',
  '/api/content/trash',
  `/api/content/${item}`,
  `/api/content/${item}/draft`,
  `/api/content/${item}/versions`,
  `/api/content/${item}/versions/1`,
  '/api/content/by-slug/noon',
  '/api/content/tags',
  '/api/content/categories',
  '/api/users?per_page=100',
  '/api/users/2',
  '/api/webhooks',
  '/api/invitations',
  '/api/auth/second-factors',
];
/** What only commands and starts write. */
const BY_COMMANDS = `
  INSERT INTO content_imports VALUES ('posts/harbour.md', 1, 'hash');
  INSERT INTO setup_links VALUES ('hash', ${first.now + 60_000});
  INSERT INTO proved_backups VALUES ('stoa-20300101T000000Z.ndjson.zst', ${first.now});`;
const LONG = 'Ships come to the harbour.\r\n'.repeat(150);

/** Adds what an account can make with this version to what it could make with the first one. The id of the fullest item. */
async function furnish(url: string, token: string): Promise<number> {
  const made = async (method: string, path: string, body?: object, headers?: Record<string, string>) => {
    const answer: Answer = await call(url, method, path, {
      token,
      ...(body && { body }),
      ...(headers && { headers }),
    });
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body?.data;
  };
  await made('POST', '/api/webhooks', {
    url: 'https://127.0.0.1:9/',
    events: ['*'],
    description: 'Nobody is there',
  });
  const item = { title: 'The harbour', content: LONG, category: 'Sea', tags: ['ships', 'Ünïcödé 😀'] };
  const { id } = await made('POST', '/api/content', item, { 'idempotency-key': 'the-harbour' });
  await made('PUT', `/api/content/${id}`, {
    title: 'The harbour at noon',
    slug: 'noon',
    content: `At noon. ${LONG}`,
  });
  await made('PUT', `/api/content/${id}/draft`, { content: 'What comes next.' });
  const draft = {
    title: 'Not yet',
    content: 'A draft.',
    status: 'draft',
    meta: { mood: 'calm' },
    language: 'en',
  };
  await made('POST', '/api/content', {
    ...draft,
    publish_at: new Date(first.now + 86_400_000).toISOString(),
  });
  const members = { title: 'For members', content: 'Inside.', visibility: 'members' };
  await made('POST', '/api/content', { ...members, category: 'Sea' });
  const { id: trashed } = await made('POST', '/api/content', { title: 'Thrown away', content: '', tags: [] });
  await made('DELETE', `/api/content/${trashed}`);
  await made('POST', '/api/invitations', { email: 'guest@example.org', role: 'editor' });
  await made('POST', '/api/events/tickets');
  const body = { username: 'grace', password: first.password };
  await call(url, 'POST', '/api/auth/login', { body });
  await made('PUT', '/api/content/tags/ships', { name: 'vessels' });
  return id;
}

/** Waits until the jobs have done what they had to do after the writes. */
async function untilQuiet(url: string, token: string): Promise<void> {
  for (;;) {
    const { body } = await call(url, 'GET', '/readyz');
    const { total } = (await call(url, 'GET', '/api/content?keyword=harbour', { token })).body.data;
    const { items } = (await call(url, 'GET', '/api/content/tags', { token })).body.data;
    const isRenamed = items.some(({ name }: { name: string }) => name === 'vessels');
    if (body.data.checks?.slugs === 'ok' && total === 1 && isRenamed) return;
  }
}

const works: (() => unknown)[] = [];
const lifetime = { after: (work?: unknown) => void works.unshift(work as () => unknown) };
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const known: Record<string, { refreshToken: string; answers: Record<string, object> }> = {};
const empty: string[] = [];
for (const engine of ENGINES) {
  const settings = await oldDatabase(lifetime, engine);
  await migrateStore(readConfig(settings).database);
  const service = await startService(
    lifetime,
    { name: engine.name, settings: async () => settings },
    { PUBLIC_URL: first.publicUrl, SMTP_URL: 'log', WEBHOOK_PRIVATE: 'on' },
    { clock: () => first.now },
  );
  const { token } = await login(service.url, 'root', first.password);
  const item = await furnish(service.url, token);
  await untilQuiet(service.url, token);
  const { body } = await refresh(service.url, first.refreshToken);
  const answers: Record<string, object> = {};
  for (const path of pathsOf(item)) {
    const { status, body } = await call(service.url, 'GET', path, { token });
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    answers[path] = body.data;
  }
  known[engine.name] = { refreshToken: body.data.refresh_token, answers };
  await service.stop();
  await execOn(settings, BY_COMMANDS);
  const isSqlite = engine.name === 'SQLite';
  writeFileSync(
    new URL(isSqlite ? 'stoa.db.gz' : 'stoa.sql.gz', FOLDER),
    gzipSync(dumpOf(settings), { level: 9 }),
  );
  if (!isSqlite) continue;
  const place = placeAt(settings);
  const tables = await place.sql(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  for (const { name } of tables)
    if ((await place.sql(`SELECT 1 FROM "${name}" LIMIT 1`)).length === 0) empty.push(String(name));
}
writeFileSync(new URL('known.json', FOLDER), `${JSON.stringify(known, undefined, 1)}\n`);
console.info(`Tables without a row: ${empty.join(', ')}`);
for (const work of works) await work();
