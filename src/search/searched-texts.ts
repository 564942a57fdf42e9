import { sql } from 'kysely';
import { SEARCHED } from '../content/fields.ts';
import { SEARCHED_UNITS } from '../domain/words.ts';

/** The searched columns, each cut to the length that the index uses. */
export const SEARCHED_TEXTS = SEARCHED.map((name) =>
  sql<string>`substr(${sql.ref(name)}, 1, ${sql.lit(SEARCHED_UNITS)})`.as(name),
);
