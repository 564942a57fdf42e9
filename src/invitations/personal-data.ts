import { carriedBy } from '../services/links/links.ts';
import { exportFew, type PersonalData } from '../services/personal-data.ts';

export const exportInvitations = exportFew('invitations.export_invitations', async (db, userId) => {
  const rows = await db
    .selectFrom('links')
    .select(['email', 'carries', 'expires_at'])
    .where('user_id', '=', userId)
    .where('purpose', '=', 'invite')
    .execute();
  return rows.map(({ carries, ...row }) => ({ ...row, ...carriedBy<'invite'>(carries) }));
});

export const invitationPersonalData: PersonalData = {
  removals: [],
  sections: [
    {
      name: 'invitations',
      description: 'Whom the account has invited.',
      tables: ['links'],
      read: exportInvitations,
    },
  ],
};
