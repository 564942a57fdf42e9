import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.ts';
import { emptyRoot } from './empty-root.ts';
import { type Lifetime, temporaryFolder } from './engines.ts';

export interface Image {
  /** The program, and its arguments before those of the container. */
  readonly program: string;
  readonly args: readonly string[];
}

/** True where buildah can be started, as Debian's package of that name brings it. */
export async function hasBuildah(): Promise<boolean> {
  return (await run('buildah', ['--version']).catch(() => undefined))?.code === 0;
}

/**
 * An image by the Containerfile of an unpacked archive, in a store of its own and without a network: its base is an
 * empty root. Returns what runs a program in it.
 */
export async function newImage(t: Lifetime, archive: string): Promise<Image> {
  const [store, base] = [
    await temporaryFolder(t),
    await emptyRoot(t, { programs: ['/bin/sh', '/usr/bin/install'] }),
  ];
  const policy = join(store, 'policy.json');
  await writeFile(policy, '{"default":[{"type":"insecureAcceptAnything"}]}');
  await mkdir(join(base.path, 'proc'));
  const trusted = ['--signature-policy', policy];
  const where = ['--root', join(store, 'root'), '--runroot', join(store, 'run'), '--storage-driver', 'vfs'];
  const buildah = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run('buildah', [...where, ...args]);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  const empty = await buildah('from', 'scratch');
  await buildah('copy', '--quiet', empty, base.path, '/');
  await buildah('commit', '--quiet', ...trusted, empty, 'localhost/base');
  const build = ['bud', '--isolation', 'chroot', '--format', 'docker', '--build-arg', 'BASE=localhost/base'];
  await buildah(...build, ...trusted, '--tag', 'localhost/stoa', archive);
  const container = await buildah('from', ...trusted, 'localhost/stoa');
  return {
    program: 'buildah',
    args: [...where, 'run', '--isolation', 'chroot', '--env', 'PORT=0', container, '--'],
  };
}
