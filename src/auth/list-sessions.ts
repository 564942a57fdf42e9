import { livingSignIns } from '../accounts/living-session.ts';
import { requireAccount } from '../accounts/lock-account.ts';
import { offsetOf, type Page, type PageRequest } from '../domain/page.ts';
import { readOperation } from '../store/operation.ts';

interface SessionQuery extends PageRequest {
  readonly userId: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface SessionRow {
  readonly id: string;
  readonly device: string | null;
  readonly created_at: number;
  readonly rotated_at: number;
  readonly address: string | null;
  readonly label: string | null;
}

export const SESSION_COLUMNS = ['id', 'device', 'created_at', 'rotated_at', 'address', 'label'] as const;

/** The living sessions of an account, newest first. */
export const listSessions = readOperation(
  'auth.list_sessions',
  async (db, query: SessionQuery): Promise<Page<SessionRow>> => {
    const { page, per_page } = query;
    const counted = livingSignIns(db, query).select((eb) => eb.fn.countAll<number>().as('total'));
    // In one statement, so that a page and its total come from one state of the database.
    const rows = await livingSignIns(db, query)
      .select(SESSION_COLUMNS)
      .select(counted.as('total'))
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(per_page)
      .offset(offsetOf(query))
      .execute();
    const { total } = rows[0] ?? (await counted.executeTakeFirstOrThrow());
    return { items: rows, total: Number(total), page, per_page };
  },
);

/** The same for an admin, of any account. Fails with `not_found`. */
export const listUserSessions = readOperation(
  'auth.list_user_sessions',
  async (db, query: SessionQuery, engine): Promise<Page<SessionRow>> => {
    await requireAccount(db, query.userId, query.now);
    return listSessions.run(db, query, engine);
  },
);
