import { basename } from 'node:path';
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
  /** Milliseconds from one try to the next; undefined where only admins ask for one. */
  readonly every: number | undefined;
  /** Milliseconds to the next try after a failure. */
  readonly again: number;
}

/** An instance that was lost keeps its claim this long. */
export const CLAIM_MS = 5 * MINUTE_MS;

/**
 * A try that nobody ended, because its instance was lost, counts as failed. A time in the future comes from a clock that
 * was wrong; the clocks of two instances differ by less than a claim lasts.
 */
export function isDue(state: BackupState, { now, every, again }: Due): boolean {
  if (isUnderWay(state, now)) return false;
  if (state.asked_at !== null) return true;
  if (every === undefined) return false;
  const { tried_at } = state;
  const pause = pauseAfter(state, { every, again });
  return now >= tried_at + pause || tried_at > now + pause;
}

/** Milliseconds from the last try to the next one. */
export function pauseAfter(
  { failed_at, claimed_by }: BackupState,
  { every, again }: { readonly every: number; readonly again: number },
): number {
  return failed_at === null && claimed_by === null ? every : again;
}

/** Does an instance do now what it claimed? */
export function isUnderWay(
  { claimed_by, claimed_until }: Pick<BackupState, 'claimed_by' | 'claimed_until'>,
  now: number,
): boolean {
  return claimed_by !== null && claimed_until > now && claimed_until <= now + 2 * CLAIM_MS;
}

/** The problem of a try that nobody ended. */
export const LOST = 'The instance that made the backup was lost in the middle of it.';

/**
 * Begins a try where one is due and no other instance has begun it. Returns the state before, or undefined. What an admin
 * asked for stays asked for until the try ends, so that a lost instance does not lose it.
 */
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
  Pick<BackupState, 'tried_at' | 'made_at' | 'proved_at' | 'file' | 'failed_at' | 'problem' | 'asked_at'>
>;

/** How many proved files are known by name. Older ones are taken for files without a proof. */
const PROVED_FILES = 1_000;

/** Ends a try, except if another instance took it over. */
export const endBackup = writeOperation(
  'backups.end',
  async (db, { by, end }: { readonly by: string; readonly end: BackupEnd }): Promise<null> => {
    const ended = await db
      .updateTable('backup_state')
      .set({ ...end, claimed_by: null })
      .where('claimed_by', '=', by)
      .returning('id')
      .executeTakeFirst();
    if (ended && end.file && end.proved_at) await keepProved(db, basename(end.file), end.proved_at);
    return null;
  },
);

async function keepProved(db: Db, file: string, proved_at: number): Promise<void> {
  await db
    .insertInto('proved_backups')
    .values({ file, proved_at })
    .onConflict((conflict) => conflict.column('file').doUpdateSet({ proved_at }))
    .execute();
  const newest = db.selectFrom('proved_backups').select('file').orderBy('proved_at', 'desc');
  await db.deleteFrom('proved_backups').where('file', 'not in', newest.limit(PROVED_FILES)).execute();
}

/** When the files with these names were proved. Those without a proof are left out. */
export const readProved = readOperation(
  'backups.read_proved',
  async (db, names: readonly string[]): Promise<Record<string, number>> => {
    const rows =
      names.length === 0
        ? []
        : await db.selectFrom('proved_backups').selectAll().where('file', 'in', names).execute();
    return Object.fromEntries(rows.map(({ file, proved_at }) => [file, proved_at]));
  },
);

/** The one row about backups, which all instances share. */
export function stateOf(db: Db): Promise<BackupState> {
  return db.selectFrom('backup_state').selectAll().executeTakeFirstOrThrow();
}
