import type { Migration } from '../migration.ts';

/**
 * The keys of users by id, beside the table: a search that reads them (decisions 0011) reads a quarter
 * of the pages that the table has.
 */
export const searchKeys: Migration = {
  name: '0006_search_keys',
  statements: ({ engine }) => (engine === 'sqlite' ? SQLITE : []),
};

const SQLITE = ['CREATE INDEX users_keys ON users (id, username_key, email_key)'];
