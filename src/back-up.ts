import type { Writable } from 'node:stream';
import { TABLES } from './features.ts';
import { openBackupSource } from './open-database.ts';
import { fittingKeyName } from './open-sealing.ts';
import { MIGRATIONS } from './schema/index.ts';
import { CHECK, findSecret } from './services/sealing/secrets.ts';
import type { MoveListener } from './transfer/backlog.ts';
import { writeBackup } from './transfer/backup/write.ts';
import type { Proof } from './transfer/move.ts';
import { prepareSource } from './transfer/prepare.ts';
import { VERSION } from './version.ts';

/** The database to back up, and the sealing key of its service. */
export type BackupSource = Parameters<typeof fittingKeyName>[0] & {
  readonly database: Parameters<typeof openBackupSource>[0];
};

interface Writing {
  readonly output: Writable;
  readonly listener: MoveListener;
  /** Ends the writing with an error when it is aborted. */
  readonly signal: AbortSignal;
}

/** What a backup holds. `key` is the name of the sealing key, or null where the writer does not have it. */
export interface BackedUp {
  readonly source: string;
  readonly proof: readonly Proof[];
  readonly key: string | null;
}

/** Writes everything that the database holds at one moment to the output, while servers use the database. */
export async function backUpTo(
  settings: BackupSource,
  { output, listener, signal }: Writing,
): Promise<BackedUp> {
  listener.begin('taking the snapshot', 0);
  const source = await openBackupSource(settings.database, signal);
  try {
    const tables = await prepareSource(source, TABLES, 'shared');
    const check = await findSecret.run(source.db, CHECK, source.engine);
    const key = check && fittingKeyName(settings, check);
    const about = { stoa: VERSION, schema: MIGRATIONS.map(({ name }) => name), sealing: { check, key } };
    const proof = await writeBackup(source, tables, about, { output, signal, listener });
    return { source: source.name, proof, key };
  } finally {
    await source.close();
  }
}
