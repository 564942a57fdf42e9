import type { Migration } from '../store/migration.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

/**
 * The living sessions of an account in the order in which they began (accounts/limit-sessions.ts). So a sign-in reads
 * few rows, even if many sessions of the account have ended. A rotation changes no indexed column, so on PostgreSQL the
 * row stays within its page (HOT).
 */
export const quotas: Migration = {
  name: '0006_quotas',
  effect: OF_FIRST_BUILDS,
  statements: () => ['CREATE INDEX sessions_living ON sessions (user_id, created_at) WHERE ended_at IS NULL'],
};
