import type { Config } from '../config.ts';
import { TABLES } from '../features.ts';
import { openInPlace } from '../open-database.ts';
import { markRestoredInPlace } from '../transfer/backup/mark-restored.ts';
import { prepareInPlace } from '../transfer/prepare.ts';

/** Makes the database of the service ready for its first start after another program brought it back. */
export async function markRestoredDatabase({ database }: Config): Promise<void> {
  const end = await openInPlace(database);
  try {
    await markRestoredInPlace(end, await prepareInPlace(end, TABLES), Date.now());
    process.stdout.write(
      `The ${end.name} is marked as restored: it has a new identity, and new ids are higher by a billion.\n`,
    );
  } finally {
    await end.close();
  }
}
