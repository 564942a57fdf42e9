import { writeOperation } from '../../store/operation.ts';
import { rowOf } from './row.ts';

interface Transfer {
  readonly event: 'accounts_imported' | 'accounts_exported';
  readonly at: number;
}

/** Records that a command began to bring accounts in or out. Returns the id of the event. */
export const beginTransfer = writeOperation(
  'audit.begin_transfer',
  async (db, { event, at }: Transfer): Promise<number> => {
    // Each batch of an import corrects the number. The number of an export is known at its end.
    const detail = event === 'accounts_imported' ? { accounts: '0' } : {};
    const row = rowOf({ event, at, origin: null, detail });
    const { id } = await db.insertInto('audit_events').values(row).returning('id').executeTakeFirstOrThrow();
    return id;
  },
);

interface Progress {
  /** The id of the event. */
  readonly id: number;
  /** So many so far. */
  readonly accounts: number;
}

/** Puts the number of accounts into the event. */
export const tellTransferred = writeOperation(
  'audit.tell_transferred',
  async (db, { id, accounts }: Progress): Promise<void> => {
    const detail = JSON.stringify({ accounts: String(accounts) });
    await db.updateTable('audit_events').set({ detail }).where('id', '=', id).execute();
  },
);
