import { basename } from 'node:path';
import type { Selectable } from 'kysely';
import { MINUTE_MS } from '../domain/time.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { Db, Tables } from '../store/tables.ts';
import { isUnderWay } from './state.ts';

/** What all instances know of the sending of proved backups to a bucket. */
export interface SendingState extends Selectable<Tables['backup_sending']> {
  /** The path of the newest proved backup at the instance that made it. */
  readonly newest: string | null;
  readonly proved_at: number | null;
}

/** After a failure it is tried again this soon at the earliest. */
export const SEND_AGAIN_MS = 5 * MINUTE_MS;

export const readSending = readOperation('backups.read_sending', (db, _: null) => stateOf(db));

/** What was sent last to the bucket with this address. Nothing where another one was set then. */
export function lastSent(
  { bucket: sentTo, file, sent_at }: SendingState,
  bucket: string,
): Pick<SendingState, 'file' | 'sent_at'> {
  return sentTo === bucket ? { file, sent_at } : { file: null, sent_at: null };
}

/** Is the newest proved backup in the bucket, if there is one? */
export function isNewestSent(state: SendingState, bucket: string): boolean {
  return state.newest === null || basename(state.newest) === lastSent(state, bucket).file;
}

interface Due {
  /** The address of the bucket. */
  readonly bucket: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Was the newest proved backup not sent, is no instance sending one, and is the last failure some minutes ago? */
export function isSendingDue(state: SendingState, { bucket, now }: Due): boolean {
  if (isNewestSent(state, bucket) || isUnderWay(state, now)) return false;
  // Instances that name one bucket by two addresses would send to each of them without a pause.
  const tried = state.failed_at ?? (state.bucket === bucket ? null : state.sent_at);
  // A time in the future comes from a clock that was wrong.
  return tried === null || now >= tried + SEND_AGAIN_MS || now < tried;
}

interface Claim {
  /** A random text, which tells this try from every other. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** The problem of a try that nobody ended. */
export const LOST_SENDING = 'The instance that sent the backup was lost in the middle of it.';

/**
 * Begins to send the newest proved backup where that is due. Returns the state before, or undefined. A try that nobody
 * ended, because its instance was lost, counts as failed.
 */
export const claimSending = writeOperation(
  'backups.claim_sending',
  async (db, { by, until, ...due }: Claim & Due): Promise<SendingState | undefined> => {
    // PostgreSQL: a second instance waits here, and then reads what the first has written.
    await db.updateTable('backup_sending').set({ id: 1 }).execute();
    const state = await stateOf(db);
    if (!isSendingDue(state, due)) return undefined;
    const lost = state.claimed_by === null ? {} : { failed_at: due.now, problem: LOST_SENDING };
    await db
      .updateTable('backup_sending')
      .set({ ...lost, claimed_by: by, claimed_until: until })
      .execute();
    return state;
  },
);

/** Goes on with a try. */
export const extendSendingClaim = writeOperation(
  'backups.extend_sending_claim',
  async (db, { by, until }: Claim): Promise<null> => {
    await db
      .updateTable('backup_sending')
      .set({ claimed_until: until })
      .where('claimed_by', '=', by)
      .execute();
    return null;
  },
);

/** What became of a try: some columns of the state. */
export type SendingEnd = Partial<Pick<SendingState, 'file' | 'sent_at' | 'bucket' | 'failed_at' | 'problem'>>;

/** Ends a try, except if another instance took it over. */
export const endSending = writeOperation(
  'backups.end_sending',
  async (db, { by, end }: { readonly by: string; readonly end: SendingEnd }): Promise<null> => {
    await db
      .updateTable('backup_sending')
      .set({ ...end, claimed_by: null })
      .where('claimed_by', '=', by)
      .execute();
    return null;
  },
);

async function stateOf(db: Db): Promise<SendingState> {
  const { file: newest, proved_at } = await db
    .selectFrom('backup_state')
    .select(['file', 'proved_at'])
    .executeTakeFirstOrThrow();
  const sending = await db.selectFrom('backup_sending').selectAll().executeTakeFirstOrThrow();
  return { ...sending, newest, proved_at };
}
