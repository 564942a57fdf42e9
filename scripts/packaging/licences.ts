import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LockedPackage } from '../packages.ts';

const LICENCE = /^(licen[cs]e|copying|notice)([-.]\w+)*$/i;
const LINE = `\n${'-'.repeat(80)}\n`;

/** The licences of these packages, one after the other, each with its text where the package brings one. */
export function licences(packages: readonly LockedPackage[]): string {
  const sorted = packages.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const chapters = sorted.map(({ path, name, version, license }) =>
    [`${name} ${version} (${license})`, ...textsOf(path)].join('\n\n'),
  );
  const head =
    'Stoa contains code of these packages. The source of each is in the registry of npm, under\nits name and version. The licence of Node.js is in runtime/LICENSE.\n';
  return [head, ...chapters].join(LINE);
}

function textsOf(folder: string): string[] {
  // A package for another processor is not installed. Its licence is that of the package that names it.
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => LICENCE.test(name));
  return names.sort().map((name) => readFileSync(join(folder, name), 'utf8').trim());
}
