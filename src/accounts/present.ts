import { type RawBuilder, sql } from 'kysely';
import { DELETED_ACCOUNT } from './deleted-account.ts';

/**
 * A condition on rows of `users`: the account is there for administrators, open or not. An account whose time is over is
 * there for nobody, although a job may still be removing its rows. Neither is "deleted account". `now` is in milliseconds
 * since 1970.
 */
export function isPresent(now: number): RawBuilder<boolean> {
  return sql<boolean>`(username_key <> ${DELETED_ACCOUNT} and (closes_at is null or closes_at > ${now}))`;
}
