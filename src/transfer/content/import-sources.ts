import type { Selectable } from 'kysely';
import type { Db, Tables } from '../../store/tables.ts';

/** From where an item was imported, and what was read there. */
export type Source = Selectable<Tables['content_imports']>;

/** What was imported from these sources before, by source. */
export async function importedBefore(
  db: Db,
  sources: readonly string[],
): Promise<ReadonlyMap<string, Source>> {
  const rows = await db.selectFrom('content_imports').selectAll().where('source', 'in', sources).execute();
  return new Map(rows.map((row) => [row.source, row]));
}

/** Remembers which file each item came from. A file that is known gets the new fingerprint. */
export async function noteSources(db: Db, sources: readonly Source[]): Promise<void> {
  if (sources.length === 0) return;
  await db
    .insertInto('content_imports')
    .values(sources)
    .onConflict((conflict) =>
      conflict.column('source').doUpdateSet(({ ref }) => ({ fingerprint: ref('excluded.fingerprint') })),
    )
    .execute();
}
