import { typed } from '../domain/installation.ts';
import type { SchemaObject } from '../store/migration.ts';
import type { MoveEnd } from '../store/move-end.ts';
import { type Finding, finding, REPAIR } from './finding.ts';

/**
 * What a database lacks of the indexes and constraints that the steps of this version make, and which of these indexes
 * are invalid. More of them is no fault.
 */
export async function missingObjects(
  end: Pick<MoveEnd, 'objects' | 'freshObjects'>,
): Promise<SchemaObject[]> {
  const live = new Map((await end.objects()).map((each) => [keyOf(each), each]));
  return (await end.freshObjects()).flatMap((wanted) => {
    const found = live.get(keyOf(wanted));
    if (found === undefined) return [wanted];
    if (found.isInvalid) return [{ ...wanted, isInvalid: true }];
    return wanted.kind === 'table' && found.definition !== wanted.definition ? [wanted] : [];
  });
}

/**
 * The start of the service makes such an index if it is missing and PostgreSQL has the extension pg_trgm. Without it,
 * searches are slower. An invalid index is repaired also while the service runs.
 */
export function isMadeByStart({ definition, isInvalid }: SchemaObject): boolean {
  return !isInvalid && definition.includes('gin_trgm_ops');
}

const keyOf = ({ kind, name }: SchemaObject) => `${kind} ${name}`;

export async function checkObjects(end: MoveEnd): Promise<Finding[]> {
  // Invalid indexes are reported with the integrity of the database.
  const missing = (await missingObjects(end)).filter(({ isInvalid }) => !isInvalid);
  if (missing.length === 0) return [finding('indexes', 'ok', 'All indexes and constraints are there.')];
  return missing.map((each) =>
    isMadeByStart(each)
      ? finding(
          'indexes',
          'advice',
          `The index ${each.name} is missing, so searches for users read the whole table; let an administrator run "CREATE EXTENSION IF NOT EXISTS pg_trgm" in the database, then start the service again.`,
        )
      : finding('indexes', 'wrong', SAYS[each.kind](each)),
  );
}

const SAYS: Readonly<Record<SchemaObject['kind'], (missing: SchemaObject) => string>> = {
  index: ({ name }) => `The index ${name} is missing; run "${REPAIR}".`,
  constraint: ({ name, definition }) => {
    const [table, constraint] = name.split('.');
    return `The constraint ${constraint} is missing; run "ALTER TABLE ${table} ADD CONSTRAINT ${constraint} ${definition}" in the database.`;
  },
  table: ({ name }) =>
    `The table ${name} lacks a constraint or a column; stop the service, run "${typed('backup')}", and restore that into an empty database ("${typed('restore')}"). If a column is missing, the restore may be refused: then restore an earlier backup.`,
};
