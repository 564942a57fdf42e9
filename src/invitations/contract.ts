import { type Static, Type } from 'typebox';
import { ROLES } from '../domain/account.ts';
import { isoTime } from '../domain/time.ts';
import { PageOf } from '../http/paging.ts';
import { UserReference } from '../sessions/contract.ts';
import type { InvitationRow } from './list.ts';

const Role = Type.Enum(ROLES, { type: 'string', description: 'What the account will be allowed to do.' });

export const InvitationInput = Type.Object(
  {
    email: Type.String({
      format: 'email',
      description: 'Who is invited, and the address of the account.',
      examples: ['ada@example.org'],
    }),
    role: Role,
  },
  { $id: 'InvitationInput', description: 'An invitation to be mailed.' },
);

export const Invitation = Type.Object(
  {
    id: Type.Integer({ minimum: 1, examples: [1] }),
    email: Type.String({ examples: ['ada@example.org'] }),
    role: Role,
    invited_by: UserReference,
    created_at: Type.String({ format: 'date-time' }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Invitation', description: 'An invitation that was not used yet.' },
);

export const InvitationPage = PageOf('InvitationPage', Invitation, 'Newest first');

/** The row of an invitation as the contract shows it. */
export function toInvitation(row: InvitationRow): Static<typeof Invitation> {
  const { inviter_id, inviter_name, created_at, expires_at, ...shown } = row;
  const times = { created_at: isoTime(created_at), expires_at: isoTime(expires_at) };
  return { ...shown, invited_by: { id: inviter_id, username: inviter_name }, ...times };
}
