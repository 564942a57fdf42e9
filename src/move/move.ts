import { OperatorError } from '../domain/operator-error.ts';
import type { MoveEnd, NumberedTable } from '../store/move-end.ts';
import { type Checksum, checksumOf } from './checksum.ts';
import { copyTable } from './copy.ts';
import { forgetProgress, recall, remember } from './progress.ts';
import { countOf } from './rows.ts';
import { MOVED_TABLES, type MovedTable } from './tables.ts';

/** The move cannot be made or did not come out equal; the message says why and what to do. */
export class MoveError extends OperatorError {}

/** Hears what is being done, and how many rows of it are done. */
export interface MoveListener {
  begin(step: string, total: number): void;
  advance(rows: number): void;
}

/** One line of the proof: what both ends hold of a table. */
export interface Proof extends Checksum {
  readonly table: string;
}

const NUMBERED: readonly NumberedTable[] = ['users', 'content'];
/** The step of a move that names its source, so that it is only ever continued from there. */
const SOURCE = 'source';

/**
 * Copies everything from `source` to the empty `target`, or goes on where that was interrupted; then
 * compares both ends, row by row, and returns the proof. Fails with MoveError, nothing half-done being
 * usable: a target that is not finished cannot be served from.
 */
export async function move(source: MoveEnd, target: MoveEnd, listener: MoveListener): Promise<Proof[]> {
  await lockBoth(source, target);
  await requireSameSchema(source, target);
  await beginOrContinue(source, target);
  for (const table of MOVED_TABLES) {
    const done = await countOf(target.db, table);
    listener.begin(`copying ${table.name}`, await countOf(source.db, table));
    listener.advance(done);
    await copyTable(source, target, table, (rows) => listener.advance(rows));
  }
  for (const table of NUMBERED) await target.setLastId(table, await source.lastId(table));
  await index(target, listener);
  const proof: Proof[] = [];
  for (const table of MOVED_TABLES) proof.push(await prove(source, target, table, listener));
  await forgetProgress(target.db);
  return proof;
}

async function lockBoth(source: MoveEnd, target: MoveEnd): Promise<void> {
  for (const end of [source, target]) {
    if (!(await end.lock())) {
      throw new MoveError(`A running server or another move uses the ${end.name}; stop it first.`);
    }
  }
}

async function requireSameSchema(source: MoveEnd, target: MoveEnd): Promise<void> {
  const wanted = await source.migrations();
  if (wanted.length === 0) throw new MoveError(`There is no Stoa database in the ${source.name}.`);
  await target.migrate();
  const found = await target.migrations();
  if (wanted.join() === found.join()) return;
  throw new MoveError(
    `The ${source.name} has another schema version than this Stoa; run "stoa migrate" on it first.`,
  );
}

async function beginOrContinue(source: MoveEnd, target: MoveEnd): Promise<void> {
  const fingerprint = await fingerprintOf(source);
  const begun = await recall(target.db, SOURCE);
  if (begun === fingerprint) return;
  if (begun !== undefined) {
    throw new MoveError(
      `The ${target.name} holds the unfinished move of another database; give it an empty one.`,
    );
  }
  for (const table of MOVED_TABLES) {
    if ((await countOf(target.db, table)) === 0) continue;
    throw new MoveError(`The ${target.name} is not empty: "${table.name}" has rows. Give an empty database.`);
  }
  await remember(target.db, SOURCE, fingerprint);
}

/** Keys and secrets are random, so they tell one installation from another. */
async function fingerprintOf(source: MoveEnd): Promise<string> {
  const own = MOVED_TABLES.filter(({ name }) => name === 'signing_keys' || name === 'secrets');
  const sums = await Promise.all(own.map((table) => checksumOf(source.db, table, () => {})));
  return sums.map(({ sum }) => sum).join('-');
}

async function index(target: MoveEnd, listener: MoveListener): Promise<void> {
  listener.begin('indexing content', 0);
  while (await target.transaction((db) => target.engine.indexContent(db)));
}

async function prove(
  source: MoveEnd,
  target: MoveEnd,
  table: MovedTable,
  listener: MoveListener,
): Promise<Proof> {
  const total = await countOf(source.db, table);
  listener.begin(`comparing ${table.name}`, 2 * total);
  const here = await checksumOf(source.db, table, (rows) => listener.advance(rows));
  const there = await checksumOf(target.db, table, (rows) => listener.advance(rows));
  if (here.rows === there.rows && here.sum === there.sum) return { table: table.name, ...here };
  throw new MoveError(
    `"${table.name}" differs: ${here.rows} rows with checksum ${here.sum} in the ${source.name}, ` +
      `${there.rows} rows with ${there.sum} in the ${target.name}. ` +
      'The source has changed since the move began; empty the target and move again.',
  );
}
