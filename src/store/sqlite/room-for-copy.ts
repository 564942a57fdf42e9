import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../../domain/operator-error.ts';
import { realPathOf } from '../private-files.ts';

const MB = 1_000_000;

/**
 * Fails with OperatorError where the disk of a database has no room for a copy of it. `purpose` ends "the copy of the
 * database that is made ...". `keptOf` says how many bytes of a disk of a size stay free.
 */
export function requireRoomForCopy(
  file: string,
  purpose: string,
  keptOf: (size: number) => number = () => 0,
): void {
  const path = realPathOf(file);
  const files = [path, `${path}-wal`].filter((each) => existsSync(each));
  const { bavail, blocks, bsize } = statfsSync(dirname(path));
  const needed = files.reduce((sum, each) => sum + statSync(each).size, keptOf(blocks * bsize));
  if (bavail * bsize > needed) return;
  throw new OperatorError(
    `The disk of ${dirname(path)} has no room for the copy of the database that is made ${purpose}; make ${Math.ceil(needed / MB)} MB free, and start again.`,
  );
}
