// Needs: processes.

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../support/engines.ts';
import { fillWithMany } from '../support/many-rows.ts';
import { startCommand } from '../support/move.ts';
import { newSqlitePlace } from '../support/place.ts';
import { until } from '../support/until.ts';

describe('Interrupted exports', () => {
  for (const [what, name] of [
    ['users', 'users.ndjson'],
    ['content', 'content.ndjson'],
  ] as const) {
    it(`An export of ${what} that is interrupted by Ctrl-C leaves no file, and says so`, async (t) => {
      const source = await newSqlitePlace(t);
      await fillWithMany(source);
      const folder = await temporaryFolder(t);
      const run = startCommand(t, [what, 'export', join(folder, name)], { DATABASE_URL: source.url });
      await until(async () => (await readdir(folder)).length > 0, 'the export has begun its file');
      run.signal('SIGINT');
      const { code, stderr } = await run.ended;
      assert.equal(code, 1, stderr);
      assert.match(stderr, /Interrupted\. The export was not finished\.\n$/);
      assert.deepEqual(await readdir(folder), []);
    });
  }
});
