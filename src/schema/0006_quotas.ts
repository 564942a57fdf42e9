import type { Migration } from '../store/migration.ts';

/**
 * The living sessions of an account in the order in which they began (accounts/limit-sessions.ts): a sign-in looks
 * at few rows, however many sessions of the account have ended. A rotation changes no column of it, so that on
 * PostgreSQL the row stays within its page (HOT).
 */
export const quotas: Migration = {
  name: '0006_quotas',
  statements: () => ['CREATE INDEX sessions_living ON sessions (user_id, created_at) WHERE ended_at IS NULL'],
};
