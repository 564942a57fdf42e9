import { activeAdmins } from '../accounts/admins.ts';
import type { Page, PageRequest } from '../domain/page.ts';
import { carriedBy, livingLinks } from '../services/links/links.ts';
import type { Carries } from '../services/links/purposes.ts';
import { readOperation } from '../store/operation.ts';
import { pageOf } from '../store/pages.ts';
import type { Db } from '../store/tables.ts';

/** With the role of the account to be, and when the invitation was made. */
export interface InvitationRow extends Readonly<Carries['invite']> {
  readonly id: number;
  readonly email: string;
  readonly inviter_id: number;
  readonly inviter_name: string;
  readonly expires_at: number;
}

/** The invitations that can be used: not too old, and of an account that is still an admin. */
export function livingInvitations(db: Db, now: number) {
  return livingLinks(db, 'invite', now).where('links.user_id', 'in', activeAdmins(db));
}

/** The same as a list, newest first. */
export const listInvitations = readOperation(
  'invitations.list_invitations',
  async (db, query: PageRequest & { readonly now: number }): Promise<Page<InvitationRow>> => {
    const living = livingInvitations(db, query.now)
      .innerJoin('users', 'users.id', 'links.user_id')
      .select(['links.id', 'links.email', 'carries', 'expires_at'])
      .select(['users.id as inviter_id', 'users.username as inviter_name'])
      .orderBy('links.id', 'desc');
    const page = await pageOf(living, query);
    const items = page.items.map(({ carries, ...row }) => ({ ...row, ...carriedBy<'invite'>(carries) }));
    return { ...page, items };
  },
);
