import type { Role } from '../../domain/account.ts';
import { offsetOf, type Page, type PageRequest } from '../../domain/page.ts';
import { readOperation } from '../../store/operation.ts';
import { livingInvitations } from './living.ts';

export interface InvitationRow {
  readonly id: number;
  readonly email: string;
  readonly role: Role;
  readonly inviter_id: number;
  readonly inviter_name: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** The invitations that are good, newest first. */
export const listInvitations = readOperation(
  'auth.list_invitations',
  async (db, query: PageRequest & { readonly now: number }): Promise<Page<InvitationRow>> => {
    const { page, per_page, now } = query;
    const counted = livingInvitations(db, now)
      .clearSelect()
      .select((eb) => eb.fn.countAll<number>().as('total'));
    // In one statement, so that a page and its total come from one state of the database.
    const rows = await livingInvitations(db, now)
      .innerJoin('users', 'users.id', 'invitations.invited_by')
      .select(['invitations.email', 'invitations.role', 'invitations.created_at', 'expires_at'])
      .select(['users.id as inviter_id', 'users.username as inviter_name'])
      .select(counted.as('total'))
      .orderBy('invitations.id', 'desc')
      .limit(per_page)
      .offset(offsetOf(query))
      .execute();
    const { total } = rows[0] ?? (await counted.executeTakeFirstOrThrow());
    return { items: rows, total: Number(total), page, per_page };
  },
);
