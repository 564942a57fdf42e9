import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LockedPackage } from '../packages.ts';

/**
 * The folder of a package: in node_modules, or fetched into `scratch`, because npm installs no package for another
 * processor. Fails with an Error where the fetched file is not the one of the lockfile.
 */
export function packageFolder({ path, name, version, integrity }: LockedPackage, scratch: string): string {
  if (existsSync(path)) return path;
  const folder = mkdtempSync(join(scratch, 'fetched-'));
  const args = ['pack', '--silent', '--pack-destination', folder, `${name}@${version}`];
  const [file = ''] = execFileSync('npm', args, { encoding: 'utf8' }).trim().split('\n');
  const hash = createHash('sha512')
    .update(readFileSync(join(folder, file)))
    .digest('base64');
  if (`sha512-${hash}` !== integrity)
    throw new Error(`${name}@${version} of the registry is not the file that package-lock.json names.`);
  execFileSync('tar', ['-xzf', file], { cwd: folder });
  return join(folder, 'package');
}
