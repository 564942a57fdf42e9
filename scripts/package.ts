import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import manifest from '../package.json' with { type: 'json' };
import { ARCHITECTURES, type Architecture } from './packaging/architectures.ts';
import { checksums, sha256 } from './packaging/checksums.ts';
import { contentsFor } from './packaging/contents.ts';
import { tar } from './packaging/tar.ts';

/**
 * Writes an archive for each architecture that is named, or for all, into release/ (docs/installing.md). It has all that
 * Stoa needs beside a C library. The same commit gives the same bytes where the same `strip` is there.
 */
const MEGABYTE = 1_000_000;
const MOST_PACKED = 90 * MEGABYTE;
const MOST_UNPACKED = 260 * MEGABYTE;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string', default: 'release' }, level: { type: 'string', default: '6' } },
});
const unknown = positionals.find((name) => !isArchitecture(name));
if (unknown !== undefined)
  throw new Error(`There is no package for "${unknown}", only for ${ARCHITECTURES.join(' and ')}.`);
const wanted = positionals.length > 0 ? positionals.filter(isArchitecture) : ARCHITECTURES;

await mkdir(values.to, { recursive: true });
for (const architecture of wanted) await packageFor(architecture);

async function packageFor(architecture: Architecture): Promise<void> {
  await using scratch = await mkdtempDisposable(join(tmpdir(), 'stoa-package-'));
  const name = `stoa-${manifest.version}-linux-${architecture}`;
  const files = await contentsFor(architecture, scratch.path);
  const all = [...files, { path: 'SHA256SUMS', mode: 0o644, bytes: checksums(files) }];
  const archive = tar(all.map((file) => ({ ...file, path: `${name}/${file.path}` })));
  const packed = gzipSync(archive, { level: Number(values.level) });
  keep('packed', packed.length, MOST_PACKED);
  keep('unpacked', archive.length, MOST_UNPACKED);

  const target = join(values.to, `${name}.tar.gz`);
  await writeFile(target, packed);
  await writeFile(`${target}.sha256`, `${sha256(packed)}  ${basename(target)}\n`);
  const [megabytes, unpacked] = [packed.length, archive.length].map((bytes) => Math.ceil(bytes / MEGABYTE));
  process.stdout.write(`${target}: ${megabytes} MB, unpacked ${unpacked} MB, ${all.length} files\n`);
}

function isArchitecture(name: string): name is Architecture {
  return ARCHITECTURES.some((each) => each === name);
}

function keep(what: string, bytes: number, most: number): void {
  if (bytes <= most) return;
  throw new Error(`The archive has ${bytes} bytes ${what}, and ${most} are the limit.`);
}
