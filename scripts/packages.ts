import { readFileSync } from 'node:fs';

const ROOT = new URL('../', import.meta.url);

/** The packages of which dist/ has code: a list of paths as the lockfile has them. A build writes it. */
export const BUNDLED = new URL('dist/packages.json', ROOT);

/** A package as the lockfile has it. */
export interface LockedPackage {
  /** Its folder, such as "node_modules/fastify". */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** "sha512-" and the hash of its file in the registry, as base64. */
  readonly integrity: string;
}

/** The folders of the packages that these files belong to, each once and sorted. Files of our own belong to none. */
export function packagesOf(files: readonly string[]): string[] {
  const folders = files.map((file) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/** Fails with an Error for a package that the lockfile does not have. */
export function lockedPackage(path: string): LockedPackage {
  const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', ROOT), 'utf8'));
  const { version, license, integrity } = packages[path] ?? {};
  if (!integrity) throw new Error(`package-lock.json has no package "${path}" with a hash.`);
  return { path, name: path.replace(/^.*node_modules\//, ''), version, license, integrity };
}
