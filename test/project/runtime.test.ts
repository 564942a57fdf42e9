import assert from 'node:assert/strict';
import { readFileSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { it } from 'node:test';

const ROOT = new URL('../../', import.meta.url).pathname;
const { packages } = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8'));

it('The Node that runs this is of a package whose hash is in the lockfile', () => {
  const path = relative(realpathSync(ROOT), realpathSync(process.execPath));
  const name = path.replace(/\/bin\/node$/, '');
  assert.equal(packages[name]?.version, process.versions.node, `${path} is not of the lockfile`);
  assert.match(packages[name].integrity, /^sha512-/);
  assert.ok(!packages[name].hasInstallScript, 'a script could have fetched another');
  assert.equal(realpathSync(`${ROOT}node_modules/.bin/node`), realpathSync(process.execPath));
});

it('Every platform gets the same version of Node', () => {
  const platforms: Record<string, string> = packages[''].optionalDependencies;
  assert.deepEqual(Object.values(platforms), Array(5).fill(process.versions.node));
});

it('No package of the lockfile comes without its hash', () => {
  // What is in this folder is no package of a registry.
  const workspaces: string[] = packages[''].workspaces;
  const isOwn = (path: string) => path === '' || workspaces.includes(path) || packages[path].link === true;
  const without = Object.keys(packages).filter((path) => !isOwn(path) && !packages[path].integrity);
  assert.deepEqual(without, []);
});

it('No package that Stoa needs to run has an install script that is allowed to run', () => {
  const { allowScripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  const scripted = Object.keys(packages).filter(
    (path) => packages[path].hasInstallScript && !packages[path].dev,
  );
  const names = scripted.map((path) => path.replace(/^.*node_modules\//, ''));
  assert.deepEqual(
    names.filter((name) => allowScripts[name] !== false),
    [],
  );
});

it('An installation asks for 36 packages by name at most', () => {
  const { length } = Object.keys(packages[''].dependencies);
  assert.ok(length > 0 && length <= 36, `${length} dependencies`);
});
