import { OperatorError } from '../domain/operator-error.ts';
import { CURES, type LiveTable, type MoveEnd, type Schema, type Use } from '../store/move-end.ts';
import { checksumOf } from './checksum.ts';
import { recall, remember } from './progress.ts';
import { countOf } from './rows.ts';
import { carriedTables, refuseDifference, type TableLists } from './schema.ts';
import type { Source } from './source.ts';

/** The step of a move that names its source, so that no other source continues the move. */
const SOURCE = 'source';

/**
 * Locks the source, reads one snapshot of it after that, and returns the tables to carry. A move has the source alone;
 * a backup shares it with servers. Fails with OperatorError when the lock is not free, or when the source is not a
 * whole database of this version.
 */
export async function prepareSource(
  source: MoveEnd,
  lists: TableLists,
  use: Use = 'alone',
): Promise<LiveTable[]> {
  await lock(source, use);
  await source.freeze();
  return wholeTables(source, lists);
}

/**
 * Locks a database of this version, to change it in its place, and returns its carried tables. Fails with OperatorError
 * when somebody uses it, or when it is not a whole database of this version.
 */
export async function prepareInPlace(end: MoveEnd, lists: TableLists): Promise<LiveTable[]> {
  await lock(end, 'alone');
  return wholeTables(end, lists);
}

async function wholeTables(end: MoveEnd, lists: TableLists): Promise<LiveTable[]> {
  const schema = await end.schema();
  if (schema === 'nothing' || schema === 'foreign') {
    throw new OperatorError(`The ${end.name} holds no data of Stoa.`);
  }
  refuseOtherVersion(end, schema);
  if (await isUnfinished(end)) {
    throw new OperatorError(
      `A move or restore into the ${end.name} was interrupted; run that one again to finish it.`,
    );
  }
  return carriedTables(end, lists);
}

/** Has a move or restore into this database of this version begun and not ended? */
export async function isUnfinished({ db }: MoveEnd): Promise<boolean> {
  return (await recall(db, SOURCE)) !== undefined;
}

/** A source, ready to be read into a target. */
export interface Prepared {
  readonly rows: Source;
  /** The tables to carry, in the order of copying. */
  readonly tables: readonly LiveTable[];
  /** A text that no other source has. */
  readonly identity: string;
}

/**
 * Locks the target for this move, and makes its tables if it is empty. The target may also be the result of an earlier
 * run from the same source. Fails with OperatorError when the target is in use, has anything else, or has other tables
 * than the source.
 */
export async function prepareTarget(
  target: MoveEnd,
  { rows: source, tables, identity }: Prepared,
  lists: TableLists,
): Promise<void> {
  if (target.name === source.name)
    throw new OperatorError('The source and the target are the same database.');
  await lock(target, 'alone');
  const schema = await target.schema();
  if (schema === 'foreign') throw notEmpty(target, 'it has tables that are not of Stoa');
  refuseOtherVersion(target, schema);
  if (schema === 'nothing') await target.create();
  refuseDifference(source, tables, target, await carriedTables(target, lists));
  const begun = await recall(target.db, SOURCE);
  if (begun === identity) return;
  if (begun !== undefined) {
    throw new OperatorError(
      `The ${target.name} holds the unfinished move or restore of another source, or the keys of the source have changed since it began; give an empty target.`,
    );
  }
  for (const table of tables) {
    if ((await countOf(target.db, table)) > 0) throw notEmpty(target, `"${table.name}" has rows`);
  }
  await remember(target.db, SOURCE, identity);
}

async function lock(end: MoveEnd, use: Use): Promise<void> {
  if (await end.lock(use)) return;
  if (use === 'shared') throw new OperatorError(`A move uses the ${end.name}; wait until it has ended.`);
  throw new OperatorError(`A running server or another move uses the ${end.name}; stop it first.`);
}

function refuseOtherVersion(end: MoveEnd, schema: Schema): void {
  if (schema === 'older' || schema === 'newer') throw new OperatorError(`The ${end.name} ${CURES[schema]}`);
}

function notEmpty(target: MoveEnd, what: string): OperatorError {
  return new OperatorError(`The ${target.name} is not empty: ${what}; give an empty database.`);
}

/** A text that identifies a database: its keys and secrets are random. */
export async function fingerprintOf(source: MoveEnd, tables: readonly LiveTable[]): Promise<string> {
  const own = tables.filter(({ name }) => name === 'signing_keys' || name === 'secrets');
  const sums: string[] = [];
  for (const table of own) sums.push((await checksumOf(source.db, table, () => {})).sum);
  return sums.join('-');
}
