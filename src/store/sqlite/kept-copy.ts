import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
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
  const copy = copyOf(file, step);
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

/** Removes the copies that migrations of these steps kept, and what a kill left of one. Another copy is the operator's. */
export function removeOtherCopies(file: string, kept: string, steps: readonly string[]): void {
  for (const step of steps) {
    const copy = copyOf(file, step);
    for (const old of [copy, copy + UNFINISHED]) if (old !== kept) rmSync(old, { force: true });
  }
}

function copyOf(file: string, step: string): string {
  return `${realPathOf(file)}-before-${step}`;
}
