import type { Migration } from '../store/migration.ts';
import { accounts } from './baseline/accounts.ts';
import { content } from './baseline/content.ts';
import { counts } from './baseline/counts.ts';
import { move } from './baseline/move.ts';
import { usersSearch } from './baseline/users-search.ts';
import { OF_FIRST_BUILDS } from './effects.ts';

/** The whole schema of the first release. */
export const baseline: Migration = {
  name: '0001_baseline',
  effect: OF_FIRST_BUILDS,
  statements: (dialect) => [
    ...accounts(dialect),
    ...usersSearch(dialect),
    ...counts('users', dialect),
    ...content(dialect),
    ...counts('content', dialect),
    ...move(dialect),
  ],
};
