import assert from 'node:assert/strict';
import { it } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { readConfig } from '../../src/config.ts';
import { missingObjects } from '../../src/doctor/schema.ts';
import { openMoveEnd } from '../../src/open-store.ts';
import { call, login, refresh } from '../support/client.ts';
import { known as first } from '../support/earlier-version.ts';
import { onEveryEngine } from '../support/engines.ts';
import { releasedDatabase, VERSIONS } from '../support/released-version.ts';
import { startService } from '../support/service.ts';

it('The version that is being built has its database in the fixtures, or is a patch of one that has', () => {
  const minor = manifest.version.replace(/\.\d+$/, '.');
  assert.ok(
    VERSIONS.some((version) => version.startsWith(minor)),
    `Run "node scripts/release-fixture.ts": there is no database of ${manifest.version}.`,
  );
});

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
      const end = await openMoveEnd(readConfig(settings).database, 'source');
      assert.deepEqual(await missingObjects(end), []);
      await end.close();
    });
});
