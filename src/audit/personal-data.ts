import { isoTime } from '../domain/time.ts';
import type { PersonalData, SectionPage, SectionRequest } from '../services/personal-data.ts';
import { readOperation } from '../store/operation.ts';
import { rowsAfter } from '../store/pages.ts';

const PAGE = 200;

/** The security events about an account, oldest first. */
export const exportEvents = readOperation(
  'audit.export_events',
  async (db, { userId, after: [after = 0] }: SectionRequest): Promise<SectionPage> => {
    const events = db
      .selectFrom('audit_events')
      .select(['id', 'at', 'event', 'actor_id', 'session_id', 'address', 'detail', 'times'])
      .where('account_id', '=', userId);
    const { rows, next } = await rowsAfter(events, { key: 'id', after, most: PAGE });
    const toItem = ({ at, detail, actor_id, session_id, address, ...row }: (typeof rows)[number]) => ({
      ...row,
      // Where somebody else did it, these are theirs (docs/decisions/audit-and-sealing.md).
      ...((actor_id === null || actor_id === userId) && { session_id, address }),
      at: isoTime(at),
      detail: JSON.parse(detail) as object,
    });
    return { items: rows.map(toItem), next: next && [next.id] };
  },
);

/** The trail outlives the account, and removes nothing with it (docs/decisions/accounts.md). */
export const auditPersonalData: PersonalData = {
  removals: [],
  sections: [
    {
      name: 'events',
      description: 'Security events about the account, oldest first.',
      tables: ['audit_events'],
      read: exportEvents,
    },
  ],
};
