import type { PersonalData, SectionPage, SectionRequest } from '../../accounts/personal-data.ts';
import { isoTime } from '../../domain/time.ts';
import { readOperation } from '../../store/operation.ts';

/** When devices that the account is known by signed in last; an account has some twenty. */
export const exportDevices = readOperation(
  'throttle.export_devices',
  async (db, { userId }: SectionRequest): Promise<SectionPage> => {
    const rows = await db
      .selectFrom('known_devices')
      .select('seen_at')
      .where('user_id', '=', userId)
      .orderBy('seen_at')
      .execute();
    return { items: rows.map(({ seen_at }) => ({ seen_at: isoTime(seen_at) })) };
  },
);

/** What an account owes for wrong passwords has no name: its key is a hash, and it is gone within hours. */
export const throttlePersonalData: PersonalData = {
  removals: [],
  sections: [
    {
      name: 'known_devices',
      description: 'When devices signed in last. Which ones is kept as a hash alone.',
      tables: ['known_devices'],
      read: exportDevices,
    },
  ],
};
