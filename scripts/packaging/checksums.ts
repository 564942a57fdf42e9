import { createHash } from 'node:crypto';
import type { PackedFile } from './tar.ts';

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** One line for each file, sorted by its path, as `sha256sum --check` reads it. */
export function checksums(files: readonly PackedFile[]): Buffer {
  const lines = files.map(({ path, bytes }) => ({ path, line: `${sha256(bytes)}  ${path}\n` }));
  lines.sort((one, other) => (one.path < other.path ? -1 : 1));
  return Buffer.from(lines.map(({ line }) => line).join(''));
}
