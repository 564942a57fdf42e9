import { listOfUser } from '../accounts/user-sessions.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { type AccountSessions, livingSessions } from '../sessions/living-session.ts';
import { readOperation } from '../store/operation.ts';
import { pageOf } from '../store/pages.ts';
import type { Db } from '../store/tables.ts';

export type PersonalTokenRow = Awaited<ReturnType<ReturnType<typeof selectToken>['execute']>>[number];

/** The personal access tokens of an account that live. */
export function livingPersonalTokens(db: Db, account: AccountSessions) {
  return livingSessions(db, account).innerJoin(
    'personal_tokens',
    'personal_tokens.session_id',
    'sessions.id',
  );
}

/** What is shown of them. */
export function selectToken(tokens: ReturnType<typeof livingPersonalTokens>) {
  return tokens
    .select(['id', 'name', 'created_at', 'absolute_expires_at', 'last_used_at'])
    .select((eb) => eb.ref('scope').$notNull().as('scope'));
}

/** The living tokens of an account, newest first. */
export const listPersonalTokens = readOperation(
  'programs.list_personal_tokens',
  (db, query: AccountSessions & PageRequest): Promise<Page<PersonalTokenRow>> =>
    pageOf(selectToken(livingPersonalTokens(db, query)).orderBy('created_at', 'desc').orderBy('id'), query),
);

export const listUserPersonalTokens = listOfUser('programs.list_user_personal_tokens', listPersonalTokens);
