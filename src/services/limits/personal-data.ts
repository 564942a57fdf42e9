import { SHARED_LIMITS } from '../../domain/limits.ts';
import { writeOperation } from '../../store/operation.ts';
import { exportFew, type PersonalData, type Removal } from '../personal-data.ts';
import { keyOf, type SharedLimit } from './shared.ts';

const LIMITS = Object.keys(SHARED_LIMITS) as SharedLimit[];

/**
 * Removes what is counted for the account by its id. Such a row can last for weeks (`name_change`), and the id is easily
 * guessed from its hash. Rows about a source, a device or an address last for hours.
 */
export const removeCounts = writeOperation(
  'limits.remove_counts',
  async (db, { userId }: Removal, engine): Promise<boolean> => {
    await engine.lock(db, 'removing accounts');
    const keys = LIMITS.map((limit) => keyOf(limit, userId));
    await db.deleteFrom('guess_debts').where('key', 'in', keys).execute();
    return false;
  },
  { isBackground: true },
);

/** When known devices of the account last signed in. An account has at most about twenty. */
export const exportDevices = exportFew('limits.export_devices', (db, userId) =>
  db.selectFrom('known_devices').select('seen_at').where('user_id', '=', userId).orderBy('seen_at').execute(),
);

export const limitPersonalData: PersonalData = {
  removals: [removeCounts],
  sections: [
    {
      name: 'known_devices',
      description: 'When devices signed in last. The devices themselves are stored only as hashes.',
      tables: ['known_devices'],
      read: exportDevices,
    },
  ],
};
