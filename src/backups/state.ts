import type { Selectable } from 'kysely';
import { MINUTE_MS } from '../domain/time.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { Db, Tables } from '../store/tables.ts';

export type BackupState = Selectable<Tables['backup_state']>;

/** What all instances know of the backups by themselves. */
export const readBackupState = readOperation('backups.read_state', (db, _: null) => stateOf(db));

interface Claim {
  /** A random text, which tells this try from every other. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly until: number;
}

interface Due {
  readonly now: number;
  /** Milliseconds from one try to the next, and to the next after a failure. */
  readonly every: number;
  readonly again: number;
}

/** An instance that was lost keeps its claim this long. */
export const CLAIM_MS = 5 * MINUTE_MS;

/**
 * A try that nobody ended, because its instance was lost, counts as failed. A time in the future comes from a clock that
 * was wrong; the clocks of two instances differ by less than a claim lasts.
 */
export function isDue(state: BackupState, { now, every, again }: Due): boolean {
  const { tried_at, claimed_by, claimed_until, failed_at } = state;
  if (claimed_by !== null && claimed_until > now && claimed_until <= now + 2 * CLAIM_MS) return false;
  const pause = failed_at === null && claimed_by === null ? every : again;
  return now >= tried_at + pause || tried_at > now + pause;
}

/** The problem of a try that nobody ended. */
export const LOST = 'The instance that made the backup was lost in the middle of it.';

/** Begins a try where one is due and no other instance has begun it. Returns the state before, or undefined. */
export const claimBackup = writeOperation(
  'backups.claim',
  async (db, { by, until, ...due }: Claim & Due): Promise<BackupState | undefined> => {
    // PostgreSQL: a second instance waits here, and then reads what the first has written.
    await db.updateTable('backup_state').set({ id: 1 }).execute();
    const state = await stateOf(db);
    if (!isDue(state, due)) return undefined;
    const lost = state.claimed_by === null ? {} : { failed_at: due.now, problem: LOST };
    await db
      .updateTable('backup_state')
      .set({ ...lost, tried_at: due.now, claimed_by: by, claimed_until: until })
      .execute();
    return state;
  },
);

/** Goes on with a try. */
export const extendBackupClaim = writeOperation(
  'backups.extend_claim',
  async (db, { by, until }: Omit<Claim, 'now'>): Promise<null> => {
    await db.updateTable('backup_state').set({ claimed_until: until }).where('claimed_by', '=', by).execute();
    return null;
  },
);

/** What became of a try: some columns of the state. */
export type BackupEnd = Partial<
  Pick<BackupState, 'tried_at' | 'made_at' | 'proved_at' | 'file' | 'failed_at' | 'problem'>
>;

/** Ends a try, except if another instance took it over. */
export const endBackup = writeOperation(
  'backups.end',
  async (db, { by, end }: { readonly by: string; readonly end: BackupEnd }): Promise<null> => {
    await db
      .updateTable('backup_state')
      .set({ ...end, claimed_by: null })
      .where('claimed_by', '=', by)
      .execute();
    return null;
  },
);

function stateOf(db: Db): Promise<BackupState> {
  return db.selectFrom('backup_state').selectAll().executeTakeFirstOrThrow();
}
