/**
 * Every table of the schema is in one of these two lists, or a move refuses its database. Which columns
 * a table has is not said here: the database tells.
 */

/** Copied and proved row by row; parents before children. */
export const CARRIED: readonly string[] = ['users', 'sessions', 'signing_keys', 'secrets', 'content'];

/** Not copied: made anew from what is carried, or about this one database alone. Some are of one engine only. */
export const DERIVED: readonly string[] = [
  // How many rows there are (migrations 0003 and 0007).
  ...['users_blocks', 'users_total', 'content_blocks', 'content_total'],
  ...['users_folded', 'users_deltas', 'users_folded_total'],
  ...['content_folded', 'content_deltas', 'content_folded_total'],
  // Search and filters (0004, 0007, 0008 and 0009).
  ...['users_search', 'content_search', 'content_unindexed'],
  ...['content_tags', 'content_labels', 'content_indexed'],
  // What was done to this database.
  ...['migrations', 'move_progress'],
];
