import { sql } from 'kysely';
import { REPAIR } from '../doctor/finding.ts';
import { nameBeside } from '../doctor/integrity.ts';
import { disabledTriggers, enabling, isMadeByStart } from '../doctor/schema.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { reasonOf } from '../domain/reason.ts';
import type { SchemaObject } from '../store/migration.ts';
import type { MoveEnd } from '../store/move-end.ts';
import type { Db } from '../store/tables.ts';
import { noteRepair, type Say } from './repair-notes.ts';

/** Views, functions and triggers that are missing or of another definition, and triggers that are disabled. */
export async function repairTriggers(
  end: MoveEnd,
  missing: readonly SchemaObject[],
  say: Say,
): Promise<void> {
  const isSqlite = end.engine.name === 'sqlite';
  const some = (kind: SchemaObject['kind']) => missing.filter((each) => each.kind === kind);
  const changes = [
    ...some('function').map(({ name, definition }) => ({
      what: `function ${name}`,
      statements: [definition],
    })),
    ...(isSqlite ? some('view') : []).map(({ name, definition }) => ({
      what: `view ${name}`,
      statements: [`DROP VIEW IF EXISTS ${name}`, definition],
    })),
    ...some('trigger').map(({ name, definition }) => {
      const [table, trigger] = name.split('.');
      const dropped = isSqlite ? name : `${trigger} ON ${table}`;
      return { what: `trigger ${name}`, statements: [`DROP TRIGGER IF EXISTS ${dropped}`, definition] };
    }),
    ...(await disabledTriggers(end)).map((each) => ({
      what: `disabled triggers of ${each.table}`,
      statements: [enabling(each)],
    })),
  ];
  for (const { what, statements } of changes) {
    try {
      await end.transaction(async (db) => {
        if (!isSqlite) await sql`set local lock_timeout = '5s'`.execute(db);
        for (const each of statements) await sql.raw(each).execute(db);
        await noteRepair(db, what);
      });
      say('done', `Mended: the ${what}.`);
    } catch (error) {
      say('refused', `Not mended: the ${what} (${reasonOf(error)}).`);
    }
  }
}

/** Makes missing indexes, but for those that the next start makes. Without `mayMake` it reports each as refused. */
export async function repairIndexes(
  end: MoveEnd,
  missing: readonly SchemaObject[],
  mayMake: boolean,
  say: Say,
): Promise<void> {
  const indexes = missing.filter((each) => each.kind === 'index' && !isMadeByStart(each));
  for (const { name, definition } of indexes) {
    if (!mayMake) {
      say(
        'refused',
        `The index ${name} is made only while no service uses the file; stop it, and run "${REPAIR}" again.`,
      );
      continue;
    }
    try {
      if (end.engine.name === 'sqlite') await end.transaction((db) => putIndex(db, name, definition));
      else await makeBeside(end, name, definition);
      say('done', `The index ${name} is made.`);
    } catch (error) {
      say('refused', `The index ${name} cannot be made: ${reasonOf(error)}.`);
    }
  }
}

/** Inside a transaction: the index that has the name is kept where the new one cannot get it. */
async function putIndex(db: Db, name: string, statement: string): Promise<void> {
  await sql`drop index if exists ${sql.ref(name)}`.execute(db);
  await sql.raw(statement).execute(db);
  await noteRepair(db, `index ${name}`);
}

/**
 * On PostgreSQL, where others write meanwhile. The old index may be all that keeps duplicates out. So it is dropped only
 * once the new one is made, in the transaction that gives the new one its name.
 */
async function makeBeside(end: MoveEnd, name: string, definition: string): Promise<void> {
  await refuseConstraint(end.db, name);
  const beside = nameBeside(name);
  const drop = () => sql`drop index concurrently if exists ${sql.ref(beside)}`.execute(end.db);
  // A killed repair has left it.
  await drop();
  try {
    const statement = definition.replace(` INDEX ${name} `, ` INDEX CONCURRENTLY ${beside} `);
    await sql.raw(statement).execute(end.db);
    await end.transaction(async (db) => {
      // Reads of the table wait behind a lock that waits.
      await sql`set local lock_timeout = '5s'`.execute(db);
      await putIndex(db, name, `ALTER INDEX ${beside} RENAME TO ${name}`);
    });
  } catch (error) {
    await drop().catch(() => {});
    throw error;
  }
}

/** An index that belongs to a constraint can be dropped with the constraint only. */
async function refuseConstraint(db: Db, name: string): Promise<void> {
  const { rows } = await sql<{ table: string }>`
    select conrelid::regclass::text as table from pg_constraint
    where conindid = to_regclass(quote_ident(${name})) and conname = ${name} and contype in ('p', 'u', 'x')`.execute(
    db,
  );
  for (const { table } of rows)
    throw new OperatorError(
      `a constraint has its name; run "ALTER TABLE ${table} RENAME CONSTRAINT ${name} TO ${name}_other" in the database and "${REPAIR}" again, and then drop that constraint`,
    );
}
