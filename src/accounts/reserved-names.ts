import { exportFew, type PersonalData } from '../services/personal-data.ts';

export const exportReservedNames = exportFew('accounts.export_reserved_names', (db, userId) =>
  db.selectFrom('reserved_names').select(['username', 'free_at']).where('user_id', '=', userId).execute(),
);

export const accountPersonalData: PersonalData = {
  removals: [],
  sections: [
    {
      name: 'reserved_names',
      description: 'User names that were given up, and when others may have them.',
      tables: ['reserved_names'],
      read: exportReservedNames,
    },
  ],
};
