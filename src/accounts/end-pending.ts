import type { Db } from '../store/tables.ts';

/**
 * Ends what somebody may have begun for an account and could still complete without a session: links of mails, and
 * sign-ins that wait for their second factor. The ways back to earlier addresses stay, since a thief would end them with
 * the rest.
 */
export async function endPending(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('password_resets').where('user_id', '=', userId).execute();
  await db.deleteFrom('email_links').where('user_id', '=', userId).where('kind', '!=', 'revert').execute();
  await endChallenges(db, userId);
}

/** Ends the sign-ins of an account that wait for their second factor. */
export async function endChallenges(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('second_factor_challenges').where('user_id', '=', userId).execute();
}
