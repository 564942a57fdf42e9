import {
  type PersonalData,
  type SectionPage,
  type SectionRequest,
  sectionPage,
} from '../accounts/personal-data.ts';
import { isoTime } from '../domain/time.ts';
import { readOperation } from '../store/operation.ts';

const PAGE = 200;

/** The security events about an account, oldest first. */
export const exportEvents = readOperation(
  'audit.export_events',
  async (db, { userId, after: [after = 0] }: SectionRequest): Promise<SectionPage> => {
    const rows = await db
      .selectFrom('audit_events')
      .select(['id', 'at', 'event', 'actor_id', 'session_id', 'address', 'detail', 'times'])
      .where('account_id', '=', userId)
      .where('id', '>', Number(after))
      .orderBy('id')
      .limit(PAGE + 1)
      .execute();
    const toItem = ({ at, detail, actor_id, session_id, address, ...row }: (typeof rows)[number]) => ({
      ...row,
      // Where somebody else did it, these are theirs (decisions 0062).
      ...((actor_id === null || actor_id === userId) && { session_id, address }),
      at: isoTime(at),
      detail: JSON.parse(detail) as object,
    });
    return sectionPage(rows, PAGE, { toItem, cursorOf: ({ id }) => [id] });
  },
);

/** The trail outlives the account, and removes nothing with it (decisions 0064). */
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
