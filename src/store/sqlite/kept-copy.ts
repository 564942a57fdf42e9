import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { realPathOf, syncFolder } from '../private-files.ts';
import { requireRoomForCopy } from './room-for-copy.ts';
import { copyDatabase } from './snapshot.ts';

const UNFINISHED = '.unfinished';

/**
 * Copies what is committed into a file next to the database (mode 0600), named after the step of the schema that comes
 * next. A copy of the same step, which a failed migration left, is replaced. Returns the path when the copy is on disk.
 * Fails with OperatorError where the disk has no room for it.
 */
export async function keepCopy(file: string, step: string): Promise<string> {
  const copy = `${realPathOf(file)}-before-${step}`;
  const unfinished = copy + UNFINISHED;
  for (const old of [copy, unfinished]) rmSync(old, { force: true });
  requireRoomForCopy(file, 'before its tables are changed');
  try {
    await copyDatabase(file, unfinished);
    const descriptor = openSync(unfinished, 'r+');
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  renameSync(unfinished, copy);
  syncFolder(dirname(copy));
  return copy;
}

/** Removes the copies that earlier migrations kept, and what a kill left of one. */
export function removeOtherCopies(file: string, kept: string): void {
  const path = realPathOf(file);
  const begin = `${basename(path)}-before-`;
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(begin) && name !== basename(kept)) rmSync(join(dirname(path), name), { force: true });
}
