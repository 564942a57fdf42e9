// Needs: processes.

import assert from 'node:assert/strict';
import { chmod, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { newAccount } from '../support/client.ts';
import { stoa, stoaUnprivileged } from '../support/command.ts';
import { commandsOfSuite, countsOf, itemsOf, refusalsIn } from '../support/content-commands.ts';
import { onOneEngine, temporaryFolder } from '../support/engines.ts';
import { execOn } from '../support/place.ts';

onOneEngine('Files of an import of content', (engine) => {
  const start = commandsOfSuite(engine);

  it('Bad files are named with line and reason, links are not followed, and the rest is imported', async (t) => {
    const { url, settings, importFrom, author } = await start();
    const [folder, outside] = [await temporaryFolder(t), await temporaryFolder(t)];
    await mkdir(join(folder, 'sub'));
    await writeFile(join(outside, 'secret.md'), 'secret');
    await symlink(join(outside, 'secret.md'), join(folder, 'link.md'));
    await symlink(outside, join(folder, 'linked'));
    await symlink(folder, join(folder, 'sub', 'circle'));
    await writeFile(join(folder, 'good.MARKDOWN'), '# Good');
    await writeFile(join(folder, 'notes.txt'), 'no');
    await writeFile(join(folder, 'long.md'), `---\na: 1\ntitle: ${'a'.repeat(201)}\n---\n`);
    await writeFile(join(folder, 'huge.md'), 'a'.repeat(1024 * 1024 + 1));
    await writeFile(join(folder, 'sub', 'yaml.md'), '---\na: 1\na: 2\n---\n');
    const line = (members: object) => JSON.stringify({ title: 'Line', content: '', ...members });
    await writeFile(
      join(folder, 'sub', 'lines.jsonl'),
      [
        line({ id: 1, author: { username: 'nobody' } }),
        '',
        '{',
        line({ id: 2, created_at: '2020-01-01T00:00:00Z' }),
      ].join('\n'),
    );
    const result = await stoa(['content', 'import', folder, '--author', author.username], { settings });
    assert.deepEqual([result.code, countsOf(result)], [1, [3, 0, 0, 4]]);
    assert.deepEqual(
      refusalsIn(result).map((each) =>
        each.replace(/(?<=:\d+: ).*?(UTF-8|characters|unique|1 MiB|valid JSON).*/, '$1'),
      ),
      ['huge.md:1: 1 MiB', 'long.md:3: characters', 'sub/lines.jsonl:3: valid JSON', 'sub/yaml.md:3: unique'],
    );
    const items = await itemsOf(url, author);
    assert.deepEqual(
      items.map(({ title, created_at }: { title: string; created_at: string }) => [
        title,
        created_at.slice(0, 4) === '2020',
      ]),
      [
        ['Good', false],
        ['Line', false],
        ['Line', true],
      ],
    );

    const unknown = await importFrom(folder, { author: 'nobody' });
    assert.match(unknown.stderr, /^There is no account "nobody" \(--author\)\.$/m);
    // What is imported for an account that is being removed would be removed with it, or would keep it.
    const leaving = await newAccount(url);
    await execOn(settings, `UPDATE users SET visible = 0, closes_at = 1 WHERE id = ${leaving.id}`);
    const removed = await importFrom(outside, { author: leaving.username });
    assert.deepEqual([removed.code, countsOf(removed)], [1, [0, 0, 0, 1]]);
    assert.match(removed.stdout, /^secret\.md:1: There is no account "\w+"; /m);
    const named = await importFrom(join(folder, 'sub', 'lines.jsonl'), {});
    assert.deepEqual([named.code, countsOf(named)], [1, [0, 0, 1, 2]]);
    assert.match(named.stdout, /^lines\.jsonl:4: It names no author/m);
    assert.match((await importFrom(join(folder, 'notes.txt'))).stderr, /must be a folder, or a file/);
  });

  it('A folder that cannot be read and a file name that is not UTF-8 are named, and the rest is imported', async (t) => {
    const { url, settings, author } = await start();
    const folder = await temporaryFolder(t);
    const closed = join(folder, 'closed');
    const latin = (name: string) =>
      Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from(name, 'latin1')]);
    await mkdir(closed, { mode: 0o000 });
    await mkdir(latin('\xe9'));
    await writeFile(latin('\xe9.md'), 'text');
    await writeFile(latin('\xe9.png'), 'no text');
    await writeFile(join(folder, 'good.md'), '# Good');
    const args = ['content', 'import', folder, '--author', author.username];
    const result = await stoaUnprivileged(args, { settings });
    await chmod(closed, 0o700);
    assert.deepEqual([result.code, countsOf(result)], [1, [1, 0, 0, 3]], result.stdout + result.stderr);
    assert.deepEqual(result.stdout.split('\n').slice(1, 4), [
      'caf\ufffd:1: Its name is not valid UTF-8.',
      'caf\ufffd.md:1: Its name is not valid UTF-8.',
      `closed:1: It cannot be read: EACCES: permission denied, scandir '${await realpath(closed)}'.`,
    ]);
    assert.equal((await itemsOf(url, author))[0].title, 'Good');
  });

  it('What the name or the text of a bad file has for a terminal is printed with escapes', async (t) => {
    const { importFrom } = await start();
    const folder = await temporaryFolder(t);
    await writeFile(
      join(folder, 'a\u001b]0;owned\u0007\u009b2K\u202e\n0 were refused.md'),
      '---\na: [\n---\n',
    );
    await writeFile(join(folder, 'b "c".md'), '---\n"\\e[2J": .nan\n---\n');
    const result = await importFrom(folder);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    assert.doesNotMatch(result.stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    const lines = refusalsIn(result);
    assert.match(
      lines[0] ?? '',
      /^"a\\u001b\]0;owned\\u0007\\u009b2K\\u202e\\n0 were refused\.md":\d: The front/,
    );
    assert.match(lines[1] ?? '', /^b "c"\.md:2: \\u001b\[2J has a number/);
  });
});
