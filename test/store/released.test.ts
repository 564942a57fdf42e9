import assert from 'node:assert/strict';
import { it } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { readConfig } from '../../src/config.ts';
import { missingObjects } from '../../src/doctor/schema.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { openMoveEnd } from '../../src/open-database.ts';
import { call, login, refresh } from '../support/client.ts';
import { during } from '../support/during.ts';
import { known as first } from '../support/earlier-version.ts';
import { ENGINES, onEveryEngine, postgres } from '../support/engines.ts';
import { execute } from '../support/postgres.ts';
import { releasedDatabase, VERSIONS } from '../support/released-version.ts';
import { startService } from '../support/service.ts';

it('The version that is being built has its database in the fixtures, or is a patch of one that has', () => {
  const minor = manifest.version.replace(/\.\d+$/, '.');
  assert.ok(
    VERSIONS.some((version) => version.startsWith(minor)),
    `Run "node scripts/release-fixture.ts": there is no database of ${manifest.version}.`,
  );
});

interface User {
  readonly last_sign_in_at?: string;
}

onEveryEngine('The database of a released version', (engine) => {
  for (const version of VERSIONS)
    it(`On the database of ${version} the service starts, answers as that version did, and sessions go on`, async (t) => {
      const { settings, known } = await releasedDatabase(t, engine, version);
      const { url } = await startService(
        t,
        { name: engine.name, settings: async () => settings },
        { PUBLIC_URL: first.publicUrl, SMTP_URL: 'log' },
        { clock: () => first.now },
      );
      assert.equal((await refresh(url, known.refreshToken)).status, 200);
      const { token } = await login(url, 'root', first.password);
      assert.ok(Object.keys(known.answers).length > 10);
      for (const [path, data] of Object.entries(known.answers)) {
        const { status, body } = await call(url, 'GET', path, { token });
        assert.equal(status, 200, path);
        // A later version may have more members.
        assert.partialDeepStrictEqual(body.data, data, path);
      }
      // The upgrade has put all accounts into the order of sign-ins.
      const order = await call(url, 'GET', '/api/users?view=admin&sort=last_sign_in_at&per_page=100', {
        token,
      });
      const { items, total } = order.body.data;
      const times: string[] = items.map((account: User) => account.last_sign_in_at ?? '');
      assert.deepEqual([times.length, times], [total, times.toSorted()]);
      const end = await openMoveEnd(readConfig(settings).database, 'source');
      assert.deepEqual(await missingObjects(end), []);
      await end.close();
    });
});

it('A sign-in, a new account and a removal during an upgrade on PostgreSQL are in the order of sign-ins', {
  skip: !ENGINES.includes(postgres),
}, async (t) => {
  const { settings } = await releasedDatabase(t, postgres, String(VERSIONS.at(-1)));
  const { DATABASE_URL: url = '' } = settings;
  const sql = (text: string) => execute<{ id: string; at: string | null }>(url, text);
  const [signsIn, removed] = await sql(
    `SELECT id FROM users WHERE username <> 'root' ORDER BY id DESC LIMIT 2`,
  );
  const writes = [
    `UPDATE users SET last_sign_in_at = 5000 WHERE id = ${signsIn?.id}`,
    `INSERT INTO users (username, username_key, email, email_key, password_hash, created_at)
      VALUES ('new', 'new', 'new@example.org', 'new@example.org', 'x', 1)`,
    `DELETE FROM users WHERE id = ${removed?.id}`,
  ];
  // The step has copied the rows, and waits to make its triggers.
  await during(url, writes, 1, () => [migrateStore(readConfig(settings).database).then(() => 'done')]);
  const users = await sql('SELECT id, last_sign_in_at AS at FROM users ORDER BY id');
  assert.ok(users.some(({ at }) => at === '5000'));
  assert.deepEqual(await sql('SELECT id, last_sign_in_at AS at FROM sign_in_order ORDER BY id'), users);
});
