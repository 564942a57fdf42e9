import { readOperation } from '../../store/operation.ts';
import { newestNumber } from './read.ts';

/** The number of the newest change, and how many changes the slowest reader has not read. */
export const lookAtFeed = readOperation('changes.look', async (db) => {
  const slowest = await db
    .selectFrom('change_readers')
    .select((eb) => eb.fn.min('number').as('number'))
    .executeTakeFirst();
  const newest = await newestNumber(db);
  return { newest, lag: Math.max(0, newest - (slowest?.number ?? newest)) };
});
