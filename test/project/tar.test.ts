// Needs: processes.

import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { tar } from '../../scripts/packaging/tar.ts';
import { run } from '../support/command.ts';
import { temporaryFolder } from '../support/engines.ts';

it('An archive has the same bytes for the same files in any order, and tar reads back long paths and modes', async (t) => {
  const long = `${'folder/'.repeat(20)}${'n'.repeat(99)}`;
  const files = [
    { path: 'b/program', mode: 0o755, bytes: Buffer.from('#!/bin/sh\n') },
    { path: long, mode: 0o644, bytes: Buffer.alloc(513, 'x') },
  ];
  const packed = tar(files);
  assert.ok(packed.equals(tar(files.toReversed())));
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'a.tar'), packed);
  assert.equal((await run('tar', ['-xf', 'a.tar'], { cwd: folder })).code, 0);
  assert.equal(await readFile(join(folder, long), 'utf8'), 'x'.repeat(513));
  assert.equal((await stat(join(folder, 'b/program'))).mode & 0o777, 0o755);
});
