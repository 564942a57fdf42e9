import { sql } from 'kysely';
import { listed } from '../domain/listed.ts';
import { hasCode, reasonOf } from '../domain/reason.ts';
import type { MoveEnd } from '../store/move-end.ts';
import type { Db } from '../store/tables.ts';
import { type Finding, finding, REPAIR } from './finding.ts';

/** data_corrupted and index_corrupted of PostgreSQL. */
const DAMAGED = ['XX001', 'XX002'];

/** The name of an index while a repair makes it, next to the one whose place it will take. A killed repair leaves it. */
export function nameBeside(index: string): string {
  return `${index}_repaired`;
}

/** Does the file or the server hold what it stored, and do all indexes agree with their tables? Reads everything. */
export async function checkIntegrity(
  end: Pick<MoveEnd, 'db' | 'engine' | 'freshObjects'>,
): Promise<Finding[]> {
  return end.engine.name === 'sqlite' ? [await checkFile(end.db)] : checkIndexes(end);
}

async function checkFile(db: Db): Promise<Finding> {
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(db);
  const said = String(rows[0]?.integrity_check);
  if (said === 'ok') return finding('integrity', 'ok', 'The database file is whole.');
  const index = /(?:missing from|entries in) index (\S+)$/.exec(said)?.[1];
  const says =
    index === undefined
      ? `The database file is damaged (${said}); stop the service and restore a backup.`
      : `The index ${index} does not agree with its table (${said}); stop the service, run "REINDEX ${index}" in the file with sqlite3, and restore a backup if this line is still there.`;
  return finding('integrity', 'wrong', says);
}

/**
 * A repair makes invalid indexes of the schema again, but not those of constraints or of the operator. The entries of
 * indexes can be compared with the rows only by the extension amcheck.
 */
async function checkIndexes({ db, freshObjects }: Pick<MoveEnd, 'db' | 'freshObjects'>): Promise<Finding[]> {
  const { rows } = await sql<{ name: string; valid: boolean; btree: boolean }>`
    select indexrelid::regclass::text as name, indisvalid as valid, amname = 'btree' as btree
    from pg_index join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
    where relnamespace = quote_ident(current_schema())::regnamespace
    order by 1`.execute(db);
  const invalid = rows.filter(({ valid }) => !valid).map(({ name }) => name);
  const check = await amcheck(db);
  const differing: Finding[] = [];
  for (const { name, valid, btree } of rows)
    if (check !== undefined && valid && btree) differing.push(...(await compared(db, check, name)));
  if (invalid.length + differing.length === 0)
    return [
      finding(
        'integrity',
        'ok',
        check === undefined
          ? 'All indexes are valid. Their entries are compared with the rows only where a superuser ran "CREATE EXTENSION amcheck" and "GRANT EXECUTE" on its functions.'
          : 'All indexes are valid and agree with the rows.',
      ),
    ];
  if (invalid.length === 0) return differing;
  const mended = (await freshObjects()).flatMap(({ kind, name }) =>
    kind === 'index' ? [name, nameBeside(name)] : [],
  );
  const others = invalid.filter((name) => !mended.includes(name));
  const cures = [
    ...(others.length < invalid.length ? [`"${REPAIR}"`] : []),
    ...others.map((name) => `"REINDEX INDEX ${name}" in the database`),
  ];
  const says = `PostgreSQL does not use the index ${invalid.join(', ')}; run ${listed(cures)}.`;
  return [finding('integrity', 'wrong', says), ...differing];
}

/** The function that compares an index with its table, or undefined where we may not call it. */
async function amcheck(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ check: string }>`
    select quote_ident(nspname) || '.bt_index_check' as check
    from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
      join pg_proc on pronamespace = extnamespace and proname = 'bt_index_check'
    where extname = 'amcheck' and oidvectortypes(proargtypes) = 'regclass, boolean'
      and has_function_privilege(pg_proc.oid, 'execute') and has_schema_privilege(extnamespace, 'usage')`.execute(
    db,
  );
  return rows[0]?.check;
}

/** Within the snapshot, which a failed statement would otherwise end. */
async function compared(db: Db, check: string, index: string): Promise<Finding[]> {
  await sql`savepoint compared`.execute(db);
  try {
    await sql`select ${sql.raw(check)}(${index}::text::regclass, true)`.execute(db);
    return [];
  } catch (error) {
    await sql`rollback to savepoint compared`.execute(db);
    if (!DAMAGED.some((code) => hasCode(error, code))) {
      const unknown = `The index ${index} could not be compared with its table (${reasonOf(error)}).`;
      return [finding('integrity', 'advice', unknown)];
    }
    const says = `The index ${index} does not agree with its table (${reasonOf(error)}); run "REINDEX INDEX CONCURRENTLY ${index}" in the database.`;
    return [finding('integrity', 'wrong', says)];
  }
}
