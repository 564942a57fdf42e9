import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Notice } from '../../domain/notice.ts';
import { modeText, narrow, realPathOf } from '../private-files.ts';
import { DERIVED_SUFFIXES } from './derived.ts';

/** The files of a database, which are for their owner alone. Some of them may not exist. */
export function filesOf(database: string): string[] {
  const path = realPathOf(database);
  return ['', '-wal', '-shm', '-lock', ...DERIVED_SUFFIXES].map((suffix) => path + suffix);
}

/**
 * Closes the files of the database to other users, and their folder too if it has nothing else but these `others`. A
 * folder that was made by hand, or a copied file, may be open to everybody. Fails with OperatorError if a file or
 * folder belongs to another user.
 */
export function narrowData(file: string, others: readonly string[], notice: Notice): void {
  const path = realpathSync(file);
  for (const each of filesOf(file)) narrow(each, 'DATA_DIR', notice);
  const folder = dirname(path);
  const { mode } = statSync(folder);
  if ((mode & 0o077) === 0) return;
  // A folder that others use too, such as /tmp, must stay open to them.
  const known = [basename(path), `.${basename(path)}-litestream`, ...others];
  const isOurs = (name: string) => known.some((each) => name.startsWith(each));
  const other = readdirSync(folder).find((name) => !isOurs(name));
  if (other === undefined) narrow(folder, 'DATA_DIR', notice);
  else
    notice(
      `${folder} is open to other users (mode ${modeText(mode)}) and stays so, because it holds ${join(folder, other)} too; give the data a folder of its own`,
    );
}
