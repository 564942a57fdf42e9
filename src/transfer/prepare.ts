import { OperatorError } from '../domain/operator-error.ts';
import type { LiveTable, MoveEnd } from '../store/move-end.ts';
import { checksumOf } from './checksum.ts';
import { recall, remember } from './progress.ts';
import { countOf } from './rows.ts';
import { carriedTables, refuseDifference, type TableLists } from './schema.ts';

/** The step of a move that names its source, so that no other source continues the move. */
const SOURCE = 'source';

/**
 * Locks the source for this move, reads one snapshot of it after that, and returns the tables to carry. Fails with
 * OperatorError when the source is in use, or is not a whole database of this version.
 */
export async function prepareSource(source: MoveEnd, lists: TableLists): Promise<LiveTable[]> {
  await lock(source);
  const schema = await source.schema();
  if (schema === 'nothing' || schema === 'foreign') {
    throw new OperatorError(`The ${source.name} holds no data of Stoa.`);
  }
  refuseOtherVersion(source, schema);
  await source.freeze();
  if ((await recall(source.db, SOURCE)) !== undefined) {
    throw new OperatorError(
      `A move into the ${source.name} was interrupted; run that one again to finish it.`,
    );
  }
  return carriedTables(source, lists);
}

/**
 * Locks the target for this move, and makes its tables if it is empty. The target may also be the result of an earlier
 * run of the same move. Fails with OperatorError when the target is in use, has anything else, or has other tables than
 * the source.
 */
export async function prepareTarget(
  target: MoveEnd,
  source: MoveEnd,
  tables: readonly LiveTable[],
  lists: TableLists,
): Promise<void> {
  if (target.name === source.name)
    throw new OperatorError('The source and the target are the same database.');
  await lock(target);
  const schema = await target.schema();
  if (schema === 'foreign') throw notEmpty(target, 'it has tables that are not of Stoa');
  refuseOtherVersion(target, schema);
  if (schema === 'nothing') await target.create();
  refuseDifference(source, tables, target, await carriedTables(target, lists));
  const fingerprint = await fingerprintOf(source, tables);
  const begun = await recall(target.db, SOURCE);
  if (begun === fingerprint) return;
  if (begun !== undefined) {
    throw new OperatorError(
      `The ${target.name} holds the unfinished move of another database, or the keys of the source have changed since it began; give an empty target.`,
    );
  }
  for (const table of tables) {
    if ((await countOf(target.db, table)) > 0) throw notEmpty(target, `"${table.name}" has rows`);
  }
  await remember(target.db, SOURCE, fingerprint);
}

async function lock(end: MoveEnd): Promise<void> {
  if (await end.lock()) return;
  throw new OperatorError(`A running server or another move uses the ${end.name}; stop it first.`);
}

function refuseOtherVersion(end: MoveEnd, schema: string): void {
  if (schema === 'older') {
    throw new OperatorError(
      `The ${end.name} has the schema of an older version of Stoa; run "stoa migrate" on it first.`,
    );
  }
  if (schema === 'newer') {
    throw new OperatorError(
      `The ${end.name} has the schema of another version of Stoa; move it with the version that made it.`,
    );
  }
}

function notEmpty(target: MoveEnd, what: string): OperatorError {
  return new OperatorError(`The ${target.name} is not empty: ${what}; give an empty database.`);
}

/** A text that identifies the source: its keys and secrets are random. */
async function fingerprintOf(source: MoveEnd, tables: readonly LiveTable[]): Promise<string> {
  const own = tables.filter(({ name }) => name === 'signing_keys' || name === 'secrets');
  const sums: string[] = [];
  for (const table of own) sums.push((await checksumOf(source.db, table, () => {})).sum);
  return sums.join('-');
}
