import { type CallerInput, ownAccountWrite } from '../accounts/caller-write.ts';
import { notFound } from '../domain/failure.ts';
import { livingPersonalTokens, type PersonalTokenRow, selectToken } from './list-personal-tokens.ts';

interface Naming extends CallerInput {
  readonly id: string;
  readonly name: string;
}

/** Gives a token of the caller another name, and returns it. Fails with `not_found` where the caller has no such living token. */
export const updatePersonalToken = ownAccountWrite(
  'auth.update_personal_token',
  async (db, { id, name, now }: Naming, { userId }): Promise<PersonalTokenRow> => {
    const own = livingPersonalTokens(db, { userId, now }).where('id', '=', id);
    await db
      .updateTable('personal_tokens')
      .set({ name })
      .where('session_id', 'in', own.select('id'))
      .execute();
    const token = await selectToken(own).executeTakeFirst();
    if (!token) throw notFound('personal access token');
    return token;
  },
);
