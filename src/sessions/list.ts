import type { Selectable } from 'kysely';
import type { Page, PageRequest } from '../domain/page.ts';
import { readOperation } from '../store/operation.ts';
import { pageOf } from '../store/pages.ts';
import type { Tables } from '../store/tables.ts';
import { type AccountSessions, livingSignIns } from './living-session.ts';

/** What is shown of a session. */
export const SESSION_COLUMNS = ['id', 'device', 'created_at', 'rotated_at', 'address', 'label'] as const;
export type SessionRow = Pick<Selectable<Tables['sessions']>, (typeof SESSION_COLUMNS)[number]>;

/** The living sessions of an account, newest first. */
export const listSessions = readOperation(
  'sessions.list_sessions',
  (db, query: AccountSessions & PageRequest): Promise<Page<SessionRow>> =>
    pageOf(
      livingSignIns(db, query).select(SESSION_COLUMNS).orderBy('created_at', 'desc').orderBy('id'),
      query,
    ),
);
