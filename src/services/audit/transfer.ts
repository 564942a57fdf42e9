import { writeOperation } from '../../store/operation.ts';
import { rowOf } from './row.ts';

interface Transfer {
  readonly event: 'accounts_imported' | 'accounts_exported';
  readonly at: number;
}

/** Records that an import or an export of accounts began. Returns the id of the event. */
export const beginTransfer = writeOperation(
  'audit.begin_transfer',
  async (db, { event, at }: Transfer): Promise<number> => {
    // Each batch of an import updates the number. An export knows it only at the end.
    const detail = event === 'accounts_imported' ? { accounts: '0' } : {};
    const row = rowOf({ event, at, origin: null, detail });
    const { id } = await db.insertInto('audit_events').values(row).returning('id').executeTakeFirstOrThrow();
    return id;
  },
);

interface Progress {
  /** The id of the event. */
  readonly id: number;
  /** The number until now. */
  readonly accounts: number;
}

/** Stores the number of accounts in the event. */
export const tellTransferred = writeOperation(
  'audit.tell_transferred',
  async (db, { id, accounts }: Progress): Promise<void> => {
    const detail = JSON.stringify({ accounts: String(accounts) });
    await db.updateTable('audit_events').set({ detail }).where('id', '=', id).execute();
  },
);
