// Needs: processes.

import assert from 'node:assert/strict';
import { appendFile, cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type CommandResult, run } from '../support/command.ts';
import { temporaryFolder } from '../support/engines.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const PARTS = [
  'src',
  'client',
  'console',
  'scripts',
  'dist',
  'package.json',
  'package-lock.json',
  'test/support/main.ts',
];

describe('A bundle of other sources', { concurrency: true }, () => {
  it('A bundle of other sources is refused by the tests, which say what to do', async (t) => {
    const copy = await temporaryFolder(t);
    for (const part of PARTS) await cp(join(ROOT, part), join(copy, part), { recursive: true });
    const asked = () => run(process.execPath, [join(copy, 'test/support/main.ts')]);
    assert.deepEqual(await asked(), { code: 0, stdout: '', stderr: '' });

    await appendFile(join(copy, 'src/domain/failure.ts'), '\n');
    assertRefused(await asked());
    await cp(join(ROOT, 'src/domain/failure.ts'), join(copy, 'src/domain/failure.ts'));
    assert.equal((await asked()).code, 0, 'the contents count, not the times of the files');

    await rm(join(copy, 'src/cli/migrate.ts'));
    assertRefused(await asked());
    await cp(join(ROOT, 'src/cli/migrate.ts'), join(copy, 'src/cli/migrate.ts'));
    await rm(join(copy, 'dist'), { recursive: true });
    assertRefused(await asked());
  });

  it('A start leaves a bundle of these sources as its owner made it, where no commit is known', async (t) => {
    const copy = await temporaryFolder(t);
    for (const part of PARTS) await cp(join(ROOT, part), join(copy, part), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const made = JSON.stringify({ commit: '0123456789ab', packaged: false });
    await writeFile(join(copy, 'dist/installation.json'), made);
    const built = await run(process.execPath, [join(copy, 'scripts/build.ts')], { cwd: copy });
    assert.deepEqual(built, { code: 0, stdout: '', stderr: '' });
    assert.equal(await readFile(join(copy, 'dist/installation.json'), 'utf8'), made);
  });
});

function assertRefused({ code, stderr }: CommandResult): void {
  assert.equal(code, 1);
  assert.match(
    stderr,
    /dist\/ was made of other sources than those of now: run "npm run build" and test again\./,
  );
}
