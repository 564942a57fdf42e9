import { sql } from 'kysely';
import { typed } from '../domain/installation.ts';
import type { SchemaObject } from '../store/migration.ts';
import type { MoveEnd } from '../store/move-end.ts';
import type { Engine } from '../store/operation.ts';
import { type Finding, finding, REPAIR } from './finding.ts';

/**
 * The parts of the schema that a database lacks or has with another definition, as the steps of this version make them,
 * and which of its indexes are invalid. More of them is no fault.
 */
export async function missingObjects(
  end: Pick<MoveEnd, 'objects' | 'freshObjects'>,
): Promise<SchemaObject[]> {
  const live = new Map((await end.objects()).map((each) => [keyOf(each), each]));
  return (await end.freshObjects()).flatMap((wanted) => {
    const found = live.get(keyOf(wanted));
    if (found === undefined) return [wanted];
    if (found.isInvalid) return [{ ...wanted, isInvalid: true }];
    return comparable(found) === comparable(wanted) || isMadeByStart(wanted) ? [] : [wanted];
  });
}

/** An operator may give an index of PostgreSQL other options of storage. */
function comparable({ kind, definition }: SchemaObject): string {
  return kind === 'index' ? definition.replace(/ WITH \([^)]*\)/, '') : definition;
}

/**
 * The start of the service makes such an index if it is missing and PostgreSQL has the extension pg_trgm. Without it,
 * searches are slower. An invalid index is repaired also while the service runs.
 */
export function isMadeByStart({ definition, isInvalid }: SchemaObject): boolean {
  return !isInvalid && definition.includes('gin_trgm_ops');
}

const keyOf = ({ kind, name }: SchemaObject) => `${kind} ${name}`;

/** A finding for each object that is missing or differs from the one of this version, or one that all are there. */
export async function checkObjects(end: MoveEnd): Promise<Finding[]> {
  // Invalid indexes are reported with the integrity of the database.
  const missing = (await missingObjects(end)).filter(({ isInvalid }) => !isInvalid);
  if (missing.length === 0)
    return [
      finding('schema', 'ok', 'Tables, indexes, constraints, views and triggers are those of this version.'),
    ];
  return missing.map((each) =>
    isMadeByStart(each)
      ? finding(
          'schema',
          'advice',
          `The index ${each.name} is missing, so searches for users read the whole table; let an administrator run "CREATE EXTENSION IF NOT EXISTS pg_trgm" in the database, then start the service again.`,
        )
      : finding('schema', 'wrong', SAYS[each.kind](each, end.engine.name)),
  );
}

const RESTORE = `stop the service, run "${typed('backup')}", and restore that into an empty database ("${typed('restore')}"). If a column is missing, the restore may be refused: then restore an earlier backup.`;
const OTHER = 'is missing or not that of this version';

const SAYS: Readonly<
  Record<SchemaObject['kind'], (missing: SchemaObject, engine: Engine['name']) => string>
> = {
  index: ({ name }) => `The index ${name} ${OTHER}; run "${REPAIR}".`,
  trigger: ({ name }) =>
    `The trigger ${name} ${OTHER}, so what it keeps may be wrong; run "${REPAIR}". Webhooks and live events may lack changes that were made without it.`,
  function: ({ name }) => `The function ${name} ${OTHER}; run "${REPAIR}".`,
  constraint: ({ name, definition }) => {
    const [table, constraint] = name.split('.');
    return `The constraint ${constraint} ${OTHER}; run "ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${constraint}, ADD CONSTRAINT ${constraint} ${definition}" in the database.`;
  },
  table: ({ name }) => `The table ${name} lacks a constraint or a column; ${RESTORE}`,
  column: ({ name, definition }) => `The column ${name} (${definition}) ${OTHER}; ${RESTORE}`,
  view: ({ name }, engine) =>
    `The view ${name} ${OTHER}; ${engine === 'sqlite' ? `run "${REPAIR}".` : RESTORE}`,
};

interface DisabledTriggers {
  readonly table: string;
  /** True if foreign keys are not checked either. Only a superuser can disable and enable their triggers. */
  readonly all: boolean;
}

/** Tables of PostgreSQL with disabled triggers, as a restore with --disable-triggers leaves them if it is cut off. */
export async function disabledTriggers({
  db,
  engine,
}: Pick<MoveEnd, 'db' | 'engine'>): Promise<DisabledTriggers[]> {
  if (engine.name === 'sqlite') return [];
  const { rows } = await sql<DisabledTriggers>`select relname as table, bool_or(tgisinternal) as all
    from pg_trigger join pg_class on pg_class.oid = tgrelid
    where relnamespace = quote_ident(current_schema())::regnamespace and tgenabled not in ('O', 'A')
    group by relname order by 1`.execute(db);
  return rows;
}

/** The statement that enables the triggers of a table again. Where `all` is true only a superuser may run it. */
export function enabling({ table, all }: DisabledTriggers): string {
  return `ALTER TABLE ${table} ENABLE TRIGGER ${all ? 'ALL' : 'USER'}`;
}

/** A finding for each table whose triggers are disabled; none where there is no such table. */
export async function checkTriggers(end: MoveEnd): Promise<Finding[]> {
  return (await disabledTriggers(end)).map((each) =>
    finding(
      'schema',
      'wrong',
      `Triggers of the table ${each.table} are disabled, so what they keep may be wrong${each.all ? ', and foreign keys are not checked' : ''}; run "${REPAIR}"${each.all ? ` as a superuser, or "${enabling(each)}" in the database` : ''}. Webhooks and live events may lack changes that were made meanwhile.`,
    ),
  );
}
