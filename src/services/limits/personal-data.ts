import { exportFew, type PersonalData } from '../personal-data.ts';

/** When known devices of the account last signed in. An account has at most about twenty. */
export const exportDevices = exportFew('limits.export_devices', (db, userId) =>
  db.selectFrom('known_devices').select('seen_at').where('user_id', '=', userId).orderBy('seen_at').execute(),
);

/** Counts of wrong passwords name no account: their keys are hashes, and the rows are deleted within hours. */
export const limitPersonalData: PersonalData = {
  removals: [],
  sections: [
    {
      name: 'known_devices',
      description: 'When devices signed in last. The devices themselves are stored only as hashes.',
      tables: ['known_devices'],
      read: exportDevices,
    },
  ],
};
