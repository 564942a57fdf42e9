import { sql } from 'kysely';
import { REPAIR } from '../doctor/finding.ts';
import { disabledTriggers, enabling, isMadeByStart } from '../doctor/schema.ts';
import { reasonOf } from '../domain/reason.ts';
import type { SchemaObject } from '../store/migration.ts';
import type { MoveEnd } from '../store/move-end.ts';
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
      await makeIndex(end, name, definition);
      await end.transaction((db) => noteRepair(db, `index ${name}`));
      say('done', `The index ${name} is made.`);
    } catch (error) {
      say('refused', `The index ${name} cannot be made: ${reasonOf(error)}.`);
    }
  }
}

/** An invalid index or one of another definition has the name that the new one gets. On PostgreSQL others write meanwhile. */
async function makeIndex({ db, engine }: MoveEnd, name: string, definition: string): Promise<void> {
  if (engine.name === 'sqlite') {
    await sql`drop index if exists ${sql.ref(name)}`.execute(db);
    await sql.raw(definition).execute(db);
    return;
  }
  await sql`drop index concurrently if exists ${sql.ref(name)}`.execute(db);
  await sql.raw(definition.replace(' INDEX ', ' INDEX CONCURRENTLY ')).execute(db);
}
