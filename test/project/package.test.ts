// Needs: processes, and a process of its own.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { cp, readdir, rename, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { before, describe, it } from 'node:test';
import { VERSION } from '../../src/version.ts';
import { type Archive, newArchive, unpack } from '../support/archive.ts';
import { call, newAccount, refresh } from '../support/client.ts';
import { run } from '../support/command.ts';
import { instructionsOf, programOf } from '../support/containerfile.ts';
import { type EmptyRoot, emptyRoot } from '../support/empty-root.ts';
import { lifetimeOfSuite, temporaryFolder } from '../support/engines.ts';
import { hasBuildah, newImage } from '../support/image.ts';
import { knownSettings } from '../support/known-settings.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

/** Where the root has the archive, as the Containerfile has it. */
const STOA = '/opt/stoa/bin/stoa';
const MEGABYTE = 1_000_000;
const COMMON_PASSWORD = 'password123';
const TEXT = { title: 'From an archive', content: '# One\n\ntext' };
const RENDERED = '<h1>One</h1>';

describe('The archive of a release', { timeout: 600_000 }, () => {
  const lifetime = lifetimeOfSuite();
  let archive: Archive;
  let root: EmptyRoot;
  let folder = '';
  before(async () => {
    archive = await newArchive(lifetime);
    root = await emptyRoot(lifetime);
    folder = join(root.path, 'opt/stoa');
    await rename(await unpack(archive, join(root.path, 'opt')), folder);
  });

  const inRoot = (args: readonly string[], settings: Record<string, string> = {}) => {
    const { program, args: all, cwd } = root.command([STOA, ...args]);
    return run(program, all, { cwd, settings });
  };

  it('The archive has at most 90 MB, and an installation from it at most 260 MB', async () => {
    assert.ok((await stat(archive.file)).size <= 90 * MEGABYTE);
    const { stdout } = await run('du', ['-s', '--block-size=1000000', folder]);
    assert.ok(Number.parseInt(stdout, 10) <= 260, stdout);
  });

  it('The archive lists each of its files with its checksum, and so does the file beside it for the archive', async () => {
    for (const [list, cwd] of [
      ['SHA256SUMS', folder],
      [`${archive.file}.sha256`, join(archive.file, '..')],
    ] as const) {
      const checked = await run('sha256sum', ['--check', '--strict', '--quiet', list], { cwd });
      assert.deepEqual(checked, { code: 0, stdout: '', stderr: '' });
    }
    const listed = read(folder, 'SHA256SUMS')
      .trim()
      .split('\n')
      .map((line) => line.slice(66));
    assert.deepEqual(listed, [...(await filesOf(folder))].filter((path) => path !== 'SHA256SUMS').sort());
  });

  it('Each link of a page of the archive leads to something that the archive has', async () => {
    const pages = [...(await filesOf(folder))].filter((path) => /^(docs\/.*|[^/]*)\.md$/.test(path));
    assert.ok(pages.length > 20, `${pages.length} pages`);
    const lost = pages.flatMap((page) =>
      [...read(folder, page).matchAll(/\]\(((?!\w+:)[^()\s#]+)(#[\w-]+)?\)/g)]
        .map(([, target = '']) => join(page, '..', target))
        .filter((target) => !existsSync(join(folder, target)))
        .map((target) => `${page}: ${target}`),
    );
    assert.deepEqual(lost, []);
  });

  it('In an empty root the archive serves: it registers, signs in, renders, shows its pages, and stops', async (t) => {
    const settings = {
      DATA_DIR: '/data',
      PASSWORD_BLOCKLIST: 'builtin',
      BACKUP_EVERY: '1h',
      SMTP_URL: 'log',
      PUBLIC_URL: 'https://accounts.example.org',
    };
    const service = await startProcess(t, settings, root.command([STOA, 'serve']));
    const { url } = service;
    const { token, refreshToken, username } = await newAccount(url);
    assert.equal((await refresh(url, refreshToken)).status, 200);
    const item = await call(url, 'POST', '/api/content', { token, body: TEXT });
    const rendered = await call(url, 'GET', `/api/content/${item.body.data.id}?format=html`);
    assert.match(JSON.stringify(rendered.body.data), new RegExp(RENDERED));
    const found = await call(url, 'GET', '/api/content?keyword=text');
    assert.equal(found.body.data.total, 1);

    const body = { username: `${username}2`, email: 'b@example.org', password: COMMON_PASSWORD };
    const refused = await call(url, 'POST', '/api/auth/register', { body });
    assert.equal(refused.status, 400, 'the list of common passwords is there');
    for (const path of [
      '/docs',
      '/docs/swagger-ui.css',
      '/docs/swagger-ui-bundle.js',
      '/openapi.json',
      '/console',
    ])
      assert.equal((await fetch(url + path)).status, 200, path);

    const doctor = await inRoot(['doctor', '--json'], { ...settings, PORT: new URL(url).port });
    const findings = doctor.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      findings.filter(({ state }) => state === 'wrong'),
      [],
      doctor.stderr,
    );
    await untilBackedUp(service);
    assert.equal(await service.stop('SIGTERM'), 0, service.stderr());
  });

  it('In an empty root `stoa --version` tells version and commit, and messages name commands that are there', async () => {
    const { commit } = JSON.parse(read(folder, 'app/dist/installation.json'));
    const version = await inRoot(['--version']);
    assert.deepEqual(version, { code: 0, stdout: `${VERSION} (commit ${commit})\n`, stderr: '' });
    const lost = await inRoot(['migrate', '--help']);
    assert.equal(lost.code, 0);
    const nothing = await inRoot(['admin', 'role', 'ada', 'admin'], { DATA_DIR: '/nowhere' });
    assert.match(nothing.stderr, /start the service once \(stoa serve\)/);
  });

  // One test, because the second step ends the service.
  it('A service of the archive keeps its version to itself, and its health check tells whether it runs', async (t) => {
    const service = await startProcess(t, { DATA_DIR: '/data' }, root.command([STOA, 'serve']));

    await t.test('No page for strangers tells the version or the commit', async () => {
      const { commit } = JSON.parse(read(folder, 'app/dist/installation.json'));
      for (const path of ['/', '/livez', '/readyz', '/console', '/docs', '/api/users/me']) {
        const answer = await fetch(service.url + path);
        const text = `${JSON.stringify([...answer.headers])}${await answer.text()}`;
        for (const told of [`"${VERSION}"`, commit]) assert.ok(!text.includes(told), `${path} tells ${told}`);
      }
    });

    await t.test(
      'The health check of the Containerfile passes while the service runs, and fails after it ended',
      async () => {
        const check = programOf(instructionsOf(join(folder, 'Containerfile')), 'HEALTHCHECK');
        const { program, args, cwd } = root.command(check);
        const checked = () => run(program, args, { cwd, settings: { PORT: new URL(service.url).port } });
        assert.deepEqual(await checked(), { code: 0, stdout: '', stderr: '' });
        assert.equal(await service.stop('SIGTERM'), 0, 'a signal reaches the service through bin/stoa');
        assert.equal((await checked()).code, 1);
      },
    );
  });

  it('The archive has the client as a package that npm installs without a registry', async (t) => {
    const packed = [...(await filesOf(folder))].filter((path) => path.endsWith('.tgz'));
    assert.deepEqual(packed, [`client/stoa-client-${VERSION}.tgz`]);
    const app = await temporaryFolder(t);
    const options = { cwd: app, settings: { PATH: process.env.PATH ?? '', HOME: app } };
    const args = ['install', '--offline', '--no-audit', '--no-fund', join(folder, ...packed)];
    const installed = await run('npm', args, options);
    assert.equal(installed.code, 0, installed.stderr);
    const files = await filesOf(join(app, 'node_modules/@stoa/client'));
    for (const name of ['LICENSE', 'README.md', 'package.json', 'dist/index.d.ts', 'dist/live.js'])
      assert.ok(files.includes(name), `${name} is not among ${files}`);
    const script = "import { createClient } from '@stoa/client'; import { listen } from '@stoa/client/live';";
    const used = [`${script} console.log(typeof createClient, typeof listen)`];
    const asked = await run(process.execPath, ['--input-type=module', '--eval', ...used], options);
    assert.deepEqual(asked, { code: 0, stdout: 'function function\n', stderr: '' });
  });

  it('A link to bin/stoa starts it, and so does a relative path to it, also where CDPATH is exported', async (t) => {
    const there = await temporaryFolder(t);
    const link = join(there, 'stoa');
    await run('ln', ['-s', relative(there, join(folder, 'bin/stoa')), link]);
    const CDPATH = '.:/usr';
    // A shell asks CDPATH where a path begins neither with "/" nor with "./".
    for (const [program, cwd, settings] of [
      [link, '/', { CDPATH }],
      ['./stoa', join(folder, 'bin'), { CDPATH }],
      ['bin/stoa', folder, { CDPATH }],
      ['bin/stoa', folder, {}],
    ] as const) {
      const { code, stderr } = await run(program, ['--version'], { cwd, settings });
      assert.equal(code, 0, `${program}: ${stderr}`);
    }
  });

  it('A Linux that lacks a library gets a sentence that names it, and how to install it', async (t) => {
    const bare = await emptyRoot(t, { without: ['libatomic'] });
    for (const part of ['bin', 'runtime'])
      await cp(join(folder, part), join(bare.path, part), { recursive: true });
    const { program, args, cwd } = bare.command(['/bin/stoa', '--version']);
    const { code, stdout, stderr } = await run(program, args, { cwd });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^Stoa needs Linux with glibc .* apt-get install .*libatomic1.*\n.*libatomic\.so\.1 => not found\n$/,
    );
  });

  it('The Containerfile copies what the archive has, and runs its program as a user without rights', async (t) => {
    const instructions = instructionsOf(join(folder, 'Containerfile'));
    const copied = instructions
      .filter(({ name }) => name === 'COPY')
      .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
    assert.ok(copied.length >= 3);
    for (const path of copied) assert.ok(existsSync(join(folder, path)), path);
    const [user, entrypoint] = ['USER', 'ENTRYPOINT'].map((name) =>
      instructions.findLast((each) => each.name === name),
    );
    assert.match(user?.rest ?? '', /^[1-9]\d+:[1-9]\d+$/);
    assert.equal(entrypoint?.rest, JSON.stringify([STOA]));
    const { rest: environment = '' } = instructions.find(({ name }) => name === 'ENV') ?? {};
    const set = environment.split(' ').map((each) => each.replace(/=.*/, ''));
    assert.deepEqual(
      set.filter((name) => name !== 'PATH' && !knownSettings().has(name)),
      [],
    );
    if (!(await hasBuildah())) return;
    const { program, args } = await newImage(t, folder);
    const service = await startProcess(t, {}, { program, args: [...args, STOA, 'serve'] });
    await newAccount(service.url);
  });

  it('The bill of materials and the licences name each package of the archive, and the lockfile has them all', () => {
    const { components } = JSON.parse(read(folder, 'sbom.cdx.json'));
    const { packages } = JSON.parse(
      readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
    );
    const licences = read(folder, 'THIRD-PARTY-LICENSES.txt');
    const named: string[] = components.map((each: Record<string, string>) => each['bom-ref']);
    for (const name of [
      'fastify',
      'kysely',
      'preact',
      '@node-rs/argon2',
      `@node-rs/argon2-linux-${process.arch}-gnu`,
    ])
      assert.ok(named.includes(`node_modules/${name}`), name);
    assert.equal(named[0], `node_modules/node-linux-${process.arch}`);
    for (const { type, version, hashes, ...each } of components) {
      const { integrity, license, ...locked } = packages[each['bom-ref']];
      assert.deepEqual([version, each.licenses], [locked.version, [{ expression: license }]]);
      assert.equal(
        hashes[0].content,
        Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex'),
      );
      if (type === 'library')
        assert.ok(licences.includes(`\n${nameOf(each)} ${version} (${license})`), nameOf(each));
    }
  });
});

/** A backup by itself is made and proved in a process that the service starts. */
async function untilBackedUp({ stdout }: ServiceProcess): Promise<void> {
  const isDone = () => stdout().includes('"msg":"backed up, restored and proved"');
  await until(isDone, 'the service has made and proved a backup');
}

function nameOf({ group, name }: { group?: string; name?: string }): string {
  return group === undefined ? `${name}` : `${group}/${name}`;
}

function read(folder: string, path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}
