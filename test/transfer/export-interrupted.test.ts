// Needs: processes.

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Lifetime, temporaryFolder } from '../support/engines.ts';
import { fillWithMany } from '../support/many-rows.ts';
import { newSqlitePlace, type Place } from '../support/place.ts';
import { startCommand } from '../support/start-command.ts';
import { until } from '../support/until.ts';

const TRIES = 10;
/** Eight reads of an export, and their items twenty. */
const USERS = 4_000;

describe('Interrupted exports', () => {
  for (const [what, name] of [
    ['users', 'users.ndjson'],
    ['content', 'content.ndjson'],
  ] as const) {
    it(`An export of ${what} that is interrupted by Ctrl-C leaves no file, and says so`, async (t) => {
      const source = await newSqlitePlace(t);
      await fillWithMany(source, USERS);
      // On a busy machine an export may be done before the signal comes.
      for (let tries = 1; ; tries++) {
        const { code, stderr, files } = await interrupted(t, source, what, name);
        if (code === 0 && tries < TRIES) continue;
        assert.equal(code, 1, stderr);
        assert.match(stderr, /Interrupted\. The export was not finished\.\n$/);
        assert.deepEqual(files, []);
        return;
      }
    });
  }
});

/** How an export into a new folder ends that gets Ctrl-C when it has begun its file, and the files it leaves. */
async function interrupted(t: Lifetime, source: Place, what: string, name: string) {
  const folder = await temporaryFolder(t);
  const run = startCommand(t, [what, 'export', join(folder, name)], { DATABASE_URL: source.url });
  await until(async () => (await readdir(folder)).length > 0, 'the export has begun its file');
  run.signal('SIGINT');
  return { ...(await run.ended), files: await readdir(folder) };
}
