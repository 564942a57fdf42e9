import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { run } from './command.ts';
import { type Lifetime, temporaryFolder } from './engines.ts';
import './main.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

export interface Archive {
  readonly file: string;
  /** The folder in it, such as "stoa-0.2.0-linux-x64". */
  readonly name: string;
}

/** The archive for this machine, made from the bundle as it is. It is compressed less than a released one. */
export async function newArchive(t: Lifetime): Promise<Archive> {
  const folder = await temporaryFolder(t);
  const args = [join(ROOT, 'scripts/package.ts'), process.arch, '--to', folder, '--level', '1'];
  const { code, stderr } = await run(process.execPath, args, { cwd: ROOT });
  assert.equal(code, 0, stderr);
  const name = `stoa-${manifest.version}-linux-${process.arch}`;
  return { file: join(folder, `${name}.tar.gz`), name };
}

/** Unpacks it as the pages say, and returns the folder that was in it. */
export async function unpack({ file, name }: Archive, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const { code, stderr } = await run('tar', ['-xzf', file, '-C', folder]);
  assert.equal(code, 0, stderr);
  return join(folder, name);
}
