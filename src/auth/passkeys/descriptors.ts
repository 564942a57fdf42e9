import type { PasskeyDescriptor } from '../../domain/second-factor.ts';
import type { Db } from '../../store/tables.ts';

/** The passkeys of an account, as options for a browser name them. */
export async function descriptorsOf(db: Db, userId: number): Promise<PasskeyDescriptor[]> {
  const rows = await db
    .selectFrom('passkeys')
    .select(['credential_id', 'transports'])
    .where('user_id', '=', userId)
    .execute();
  return rows.map(({ credential_id, transports }) => ({
    type: 'public-key',
    id: credential_id,
    transports: transports.split(',').filter(Boolean),
  }));
}
