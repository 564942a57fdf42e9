import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FileLock } from '../../src/store/sqlite/lock.ts';
import { run } from '../support/command.ts';
import { temporaryFolder } from '../support/engines.ts';

const LOCK = new URL('../../src/store/sqlite/lock.ts', import.meta.url).href;

/** Another process asks for the file and says what it got. */
async function askFor(kind: 'shared' | 'alone', file: string): Promise<string> {
  const script = `import { FileLock } from '${LOCK}';
    process.stdout.write(FileLock.${kind}(process.argv[1]) ? 'mine' : 'taken');`;
  return (await run(process.execPath, ['--input-type=module', '-e', script, file])).stdout;
}

describe('The lock on the use of an SQLite file', { concurrency: true }, () => {
  it('is shared by servers, and keeps out whoever wants the file alone', async (t) => {
    const file = join(await temporaryFolder(t), 'stoa.db');
    const lock = FileLock.shared(file);
    assert.equal(await askFor('shared', file), 'mine');
    assert.equal(await askFor('alone', file), 'taken');
    lock?.release();
    assert.equal(await askFor('alone', file), 'mine');
  });

  it('that one has alone keeps everybody out until it is released', async (t) => {
    const file = join(await temporaryFolder(t), 'stoa.db');
    const lock = FileLock.alone(file);
    assert.equal(await askFor('shared', file), 'taken');
    assert.equal(await askFor('alone', file), 'taken');
    lock?.release();
    assert.equal(await askFor('shared', file), 'mine');
  });

  // To close any handle of a file ends all locks that the process has on it.
  it('stays when the same process takes a second one and gives it back', async (t) => {
    const file = join(await temporaryFolder(t), 'stoa.db');
    const lock = FileLock.shared(file);
    t.after(() => lock?.release());
    FileLock.shared(file)?.release();
    assert.equal(await askFor('alone', file), 'taken');
  });
});
