import { type Client, DatabaseError } from 'pg';
import type { Notice } from '../../domain/notice.ts';

/**
 * Makes the missing trigram indexes inside the open transaction. Where the extension pg_trgm is not installed or may
 * not be created, the operator is told what to do, and the transaction goes on without the indexes.
 */
export async function indexTrigrams(
  client: Client,
  indexes: readonly string[],
  notice: Notice,
): Promise<void> {
  await client.query('SAVEPOINT trigrams');
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_trgm');
    for (const index of indexes) await client.query(index);
  } catch (error) {
    if (!(error instanceof DatabaseError) || !isMissing(error)) throw error;
    await client.query('ROLLBACK TO SAVEPOINT trigrams');
    notice(
      'search works, but reads whole tables: the extension pg_trgm cannot be created. ' +
        'Let an administrator run "CREATE EXTENSION pg_trgm" in this database, then start Stoa again.',
      error,
    );
  }
}

/** Not installed on the server (58P01, 0A000), not ours to create (42501), or in a schema that we do not see (42704). */
function isMissing({ code = '' }: DatabaseError): boolean {
  return ['58P01', '0A000', '42501', '42704'].includes(code);
}
