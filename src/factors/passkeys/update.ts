import { notFound } from '../../domain/failure.ts';
import { type CallerInput, ownAccountWrite } from '../../sessions/caller-write.ts';
import { PASSKEY_COLUMNS, type PasskeyRow } from './list.ts';

interface Naming extends CallerInput {
  readonly id: string;
  readonly name: string;
}

/** Renames a passkey of the caller, and returns it. Fails with `not_found` where the caller has no such passkey. */
export const updatePasskey = ownAccountWrite(
  'factors.update_passkey',
  async (db, { id, name }: Naming, { userId }): Promise<PasskeyRow> => {
    const passkey = await db
      .updateTable('passkeys')
      .set({ name })
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .returning(PASSKEY_COLUMNS)
      .executeTakeFirst();
    if (!passkey) throw notFound('passkey');
    return passkey;
  },
);
