import { notFound } from '../domain/failure.ts';
import { type CallerInput, ownAccountWrite } from '../sessions/caller-write.ts';
import { livingPersonalTokens, type PersonalTokenRow, selectToken } from './list.ts';

/** Renames a token of the caller, and returns it. Fails with `not_found` where the caller has no such living token. */
export const updatePersonalToken = ownAccountWrite(
  'programs.update_personal_token',
  async (
    db,
    { id, name, now }: CallerInput & { readonly id: string; readonly name: string },
    { userId },
  ): Promise<PersonalTokenRow> => {
    const own = livingPersonalTokens(db, { userId, now }).where('id', '=', id);
    const renamed = db.updateTable('personal_tokens').set({ name });
    await renamed.where('session_id', 'in', own.select('id')).execute();
    const token = await selectToken(own).executeTakeFirst();
    if (!token) throw notFound('personal access token');
    return token;
  },
);
