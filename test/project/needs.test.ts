import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';

/** What starts a process, or asks PostgreSQL whichever engine is tested. */
const STARTERS =
  /\b(startProcess|stoa|stoaUnprivileged|stoaAtTerminal|startMove|newPostgresDatabase|newMigratedDatabase|newPostgresPlace|startCluster|startSharedCluster|consolePages|child_process)\b/;

it('A test file that says of no need starts no process and asks no PostgreSQL, so `npm run test:fast` can run it', () => {
  const files = globSync('test/**/*.test.ts').filter((file) => file !== 'test/project/needs.test.ts');
  const texts = files.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const withoutNeeds = texts.filter(({ text }) => !text.startsWith('// Needs: '));
  assert.ok(withoutNeeds.length > 100);
  for (const { file, text } of withoutNeeds) {
    const imports = text.match(/^import [^;]*;$/gm)?.join('\n') ?? '';
    assert.doesNotMatch(
      imports,
      STARTERS,
      `${file}: its first line has to say what it needs (CONTRIBUTING.md)`,
    );
    assert.doesNotMatch(text, /ENGINES\.filter/, `${file} may have no test left where one engine is tested`);
    // The engine itself is there only where it is tested.
    if (/\bpostgres\b/.test(imports.replaceAll(/'[^']*'/g, '')))
      assert.match(text, /ENGINES\.includes\(postgres\)/, `${file} uses PostgreSQL where it is not tested`);
  }
});
