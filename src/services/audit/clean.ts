import { writeOperation } from '../../store/operation.ts';

/** Events removed in one write: a few milliseconds, so that nobody waits for it. */
const BATCH = 200;

/** Removes some of the events up to a moment; true when there may be more. One instance at a time. */
export const removeOldEvents = writeOperation(
  'audit.remove_old_events',
  async (db, { until }: { until: number }, engine): Promise<boolean> => {
    await engine.lock(db, 'cleaning the audit trail');
    const old = await db
      .selectFrom('audit_events')
      .select('id')
      .where('at', '<=', until)
      .orderBy('at')
      .limit(BATCH)
      .execute();
    if (old.length > 0) {
      const ids = old.map(({ id }) => id);
      await db.deleteFrom('audit_events').where('id', 'in', ids).execute();
    }
    return old.length === BATCH;
  },
  { isBackground: true },
);
