import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { appendInParts, PART_BYTES, removeInParts } from '../../src/store/large-file.ts';
import { temporaryFolder } from '../support/engines.ts';

it('A file that is written in parts waits for the disk after each mebibyte, and is whole on disk at its end', async (t) => {
  const path = join(await temporaryFolder(t), 'file');
  const handle = await open(path, 'wx');
  const calls: string[] = [];
  let unsynced = 0;
  for (const name of ['appendFile', 'datasync', 'sync', 'close'] as const) {
    const original = handle[name].bind(handle) as (...args: unknown[]) => Promise<void>;
    t.mock.method(handle, name, async (...args: unknown[]) => {
      calls.push(name);
      await original(...args);
      unsynced = name === 'appendFile' ? unsynced + (args[0] as Buffer).length : 0;
      assert.ok(unsynced <= PART_BYTES, `${unsynced} bytes wait for the disk`);
    });
  }
  const output = appendInParts(handle);
  const chunk = Buffer.alloc(64 * 1024, 'x');
  for (let count = 0; count < 40; count++) if (!output.write(chunk)) await once(output, 'drain');
  output.end('the end');
  await once(output, 'finish');
  assert.deepEqual(calls.slice(-3), ['appendFile', 'sync', 'close']);
  assert.equal(calls.filter((name) => name === 'datasync').length, 2);
  assert.equal(String(await readFile(path)), `${'x'.repeat(40 * chunk.length)}the end`);
});

it('A large file is removed in parts, in at most 64, and a small or missing one at once', async (t) => {
  const path = join(await temporaryFolder(t), 'file');
  await writeFile(path, '');
  const handle = await open(path);
  const cuts = t.mock.method(Object.getPrototypeOf(handle), 'truncate');
  await handle.close();
  const MIB = 1024 * 1024;
  for (const [mebibytes, least, most] of [
    [0, 0, 0],
    [8, 0, 0],
    [100, 10, 13],
    [4_096, 60, 64],
  ] as const) {
    await writeFile(path, '');
    // The file has no blocks, so it takes no room.
    await truncate(path, mebibytes * MIB);
    cuts.mock.resetCalls();
    await removeInParts(path);
    const count = cuts.mock.callCount();
    assert.ok(count >= least && count <= most, `${count} cuts for ${mebibytes} MiB`);
    assert.equal(existsSync(path), false);
  }
  await removeInParts(path);
});
