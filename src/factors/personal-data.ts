import { exportFew, type PersonalData } from '../services/personal-data.ts';

export const exportPasskeys = exportFew('factors.export_passkeys', (db, userId) =>
  db
    .selectFrom('passkeys')
    .select(['name', 'created_at', 'last_used_at'])
    .where('user_id', '=', userId)
    .execute(),
);

export const exportTotp = exportFew('factors.export_totp', (db, userId) =>
  db
    .selectFrom('totp_secrets')
    .select(['created_at', 'confirmed_at'])
    .where('user_id', '=', userId)
    .execute(),
);

export const factorPersonalData: PersonalData = {
  removals: [],
  sections: [
    {
      name: 'passkeys',
      description: 'Passkeys, without their keys.',
      tables: ['passkeys'],
      read: exportPasskeys,
    },
    {
      name: 'totp',
      description: 'Authenticator apps, without their secrets: one that is on, and one that was begun.',
      tables: ['totp_secrets'],
      read: exportTotp,
    },
  ],
};
