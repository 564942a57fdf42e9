import type { Effect } from '../store/migration.ts';

/** Steps of builds before any release. No released database lacks one of them. */
export const OF_FIRST_BUILDS: Effect = {
  does: 'Is one of the first steps, which make and change tables of accounts, sessions, mail and content.',
  stops: 'everything',
};

/** A step of the other engine. */
export const NOT_HERE: Effect = {
  does: 'Is a step of the other engine, and changes nothing here.',
  stops: 'nothing',
};
