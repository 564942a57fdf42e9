import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import manifest from '../../client/package.json' with { type: 'json' };
import { type PackedFile, tar } from './tar.ts';

/** The client as `npm install` takes it, with the files that `npm pack` of client/ packs. It is in no registry. */
export function clientPackage(scratch: string): PackedFile {
  const dist = join(scratch, 'client');
  execFileSync(process.execPath, ['scripts/build-client.ts', dist], { stdio: 'inherit' });
  const files = [
    ...['package.json', 'README.md', 'LICENSE'].map((name) => [name, join('client', name)] as const),
    ...readdirSync(dist).map((name) => [`dist/${name}`, join(dist, name)] as const),
  ];
  const packed = tar(
    files.map(([name, source]) => ({ path: `package/${name}`, mode: 0o644, bytes: readFileSync(source) })),
  );
  const path = `client/stoa-client-${manifest.version}.tgz`;
  return { path, mode: 0o644, bytes: gzipSync(packed, { level: 9 }) };
}
