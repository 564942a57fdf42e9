import { sql } from 'kysely';
import { listed } from '../domain/listed.ts';
import type { Effect, Migration } from './migration.ts';
import type { MoveEnd } from './move-end.ts';
import type { Engine } from './operation.ts';

/** A step that a start would apply. `does`, `blocks` and `later` are sentences for people. */
export interface PlannedStep {
  readonly step: string;
  readonly does: string;
  readonly blocks: string;
  /**
   * Steps of one number are committed together, and what they block waits until then. Left out for a step that
   * PostgreSQL makes without a transaction (`isConcurrent`).
   */
  readonly transaction?: number | undefined;
  /** How many rows the step reads or copies, by table, as they are now. */
  readonly rows: Readonly<Record<string, number>>;
  readonly later?: string | undefined;
}

export const NOTHING_WAITS = 'Nothing waits.';

/**
 * The steps that a start of this version would apply to the database, in order, and what each blocks. Writes nothing.
 * Fails with MigrationError where the start would refuse.
 */
export async function planOfMigration(
  end: Pick<MoveEnd, 'db' | 'engine' | 'missing' | 'tables'>,
): Promise<PlannedStep[]> {
  const missing = await end.missing();
  const tables = new Set((await end.tables()).map(({ name }) => name));
  if (tables.size === 0) return planOfNewDatabase(end.engine.name, missing);
  const effects = missing.map((migration) => effectOn(end.engine.name, migration));
  const counted = new Map<string, number>();
  // A table that an earlier step makes has no rows yet.
  for (const table of new Set(
    effects.flatMap(({ reads = [] }) => reads.filter((each) => tables.has(each))),
  )) {
    const query = sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`;
    counted.set(table, Number((await query.execute(end.db)).rows[0]?.rows));
  }
  let transaction = 1;
  return missing.map((migration) => {
    const { name: engine } = end.engine;
    const isConcurrent = engine === 'postgres' && migration.isConcurrent === true;
    if (isConcurrent) transaction++;
    const { does, later, reads = [], stops } = effectOn(engine, migration);
    const rows = Object.fromEntries([...counted].filter(([table]) => reads.includes(table)));
    const blocks = engine === 'sqlite' ? onSqlite(stops) : onPostgres(stops, tables);
    const own = isConcurrent ? undefined : transaction;
    return { step: migration.name, does, blocks, transaction: own, rows, later };
  });
}

/** The same for a database that does not exist, or has no tables: nobody waits for anything. */
export function planOfNewDatabase(engine: Engine['name'], migrations: readonly Migration[]): PlannedStep[] {
  return migrations.map((migration) => {
    const { does } = effectOn(engine, migration);
    return { step: migration.name, does, blocks: NOTHING_WAITS, transaction: 1, rows: {} };
  });
}

/** What a step does on this engine. */
export function effectOn(engine: Engine['name'], { effect }: Migration): Effect {
  return 'does' in effect ? effect : effect[engine];
}

function onSqlite(stops: Effect['stops']): string {
  return stops === 'nothing' ? NOTHING_WAITS : 'All writes wait.';
}

function onPostgres(stops: Effect['stops'], tables: ReadonlySet<string>): string {
  if (stops === 'everything') return 'All reads and writes may wait.';
  const waiting = Object.entries(typeof stops === 'object' ? stops : {});
  const sentence = (what: string, kind: 'all' | 'writes') => {
    const names = waiting.flatMap(([table, waits]) => (waits === kind && tables.has(table) ? table : []));
    return names.length === 0 ? [] : `${what} of ${listed(names)} wait.`;
  };
  const sentences = [sentence('Reads and writes', 'all'), sentence('Writes', 'writes')].flat();
  return sentences.length === 0 ? NOTHING_WAITS : sentences.join(' ');
}
