import { randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { removeInParts } from '../../store/large-file.ts';
import type { MoveEnd } from '../../store/move-end.ts';
import type { MoveListener } from '../backlog.ts';
import { move, type Proof } from '../move.ts';
import { prepareTarget } from '../prepare.ts';
import type { TableLists } from '../schema.ts';
import { openBackup } from './read.ts';
import { verifyBackup } from './verify.ts';
import { keepingNew, UNFINISHED } from './whole-file.ts';

interface Proving {
  /** A throwaway database is made here, and removed. */
  readonly folder: string;
  readonly schema: readonly { readonly name: string }[];
  readonly tables: TableLists;
  /** Opens an SQLite file that does not exist yet. */
  readonly openTarget: (file: string) => Promise<MoveEnd>;
  readonly listener: MoveListener;
}

/**
 * Restores the backup into a throwaway database, and compares every row there with the file. The search index and other
 * work of jobs are left out, because they are made of the rows. Fails with OperatorError where the file does not restore.
 */
export async function proveBackup(file: string, proving: Proving): Promise<Proof[]> {
  const throwaway = join(proving.folder, `proof-${randomBytes(4).toString('hex')}${UNFINISHED}`);
  const copy = join(throwaway, 'stoa.db');
  await mkdir(throwaway, { mode: 0o700 });
  try {
    // Writes of files in the folder, and hours of comparing, leave its time as it is.
    return await keepingNew(throwaway, () => proveIn(copy, file, proving));
  } finally {
    await removeInParts(copy);
    await rm(throwaway, { recursive: true, force: true });
  }
}

async function proveIn(
  copy: string,
  file: string,
  { schema, tables, openTarget, listener }: Proving,
): Promise<Proof[]> {
  const handle = await open(file);
  try {
    const verified = await verifyBackup({ name: file, handle }, schema, listener);
    const source = openBackup({ name: file, handle }, verified);
    const target = await openTarget(copy);
    try {
      // Nobody needs these rows after a crash, and the writes of the service share the disk.
      await sql`PRAGMA synchronous = OFF`.execute(target.db);
      await prepareTarget(target, source, tables);
      return await move(source.rows, target, source.tables, [], listener);
    } finally {
      await source.close();
      await target.close();
    }
  } finally {
    await handle.close();
  }
}
