import { requireAccount } from '../accounts/lock-account.ts';
import type { Scope } from '../domain/account.ts';
import { offsetOf, type Page, type PageRequest } from '../domain/page.ts';
import { readOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

interface Account {
  readonly userId: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface PersonalTokenRow {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  readonly created_at: number;
  readonly absolute_expires_at: number;
  readonly last_used_at: number | null;
}

/** The personal access tokens of an account that live. */
export function livingPersonalTokens(db: Db, { userId, now }: Account) {
  return db
    .selectFrom('sessions')
    .innerJoin('personal_tokens', 'personal_tokens.session_id', 'sessions.id')
    .where('sessions.user_id', '=', userId)
    .where('sessions.ended_at', 'is', null)
    .where('sessions.idle_expires_at', '>', now);
}

/** What is shown of them. */
export function selectToken(tokens: ReturnType<typeof livingPersonalTokens>) {
  return tokens
    .select(['id', 'name', 'created_at', 'absolute_expires_at', 'last_used_at'])
    .select((eb) => eb.ref('scope').$notNull().as('scope'));
}

/** The same as a list, newest first. */
export const listPersonalTokens = readOperation(
  'auth.list_personal_tokens',
  async (db, query: Account & PageRequest): Promise<Page<PersonalTokenRow>> => {
    const { page, per_page } = query;
    const counted = livingPersonalTokens(db, query).select((eb) => eb.fn.countAll<number>().as('total'));
    // In one statement, so that a page and its total come from one state of the database.
    const rows = await selectToken(livingPersonalTokens(db, query))
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
export const listUserPersonalTokens = readOperation(
  'auth.list_user_personal_tokens',
  async (db, query: Account & PageRequest, engine): Promise<Page<PersonalTokenRow>> => {
    await requireAccount(db, query.userId, query.now);
    return listPersonalTokens.run(db, query, engine);
  },
);
