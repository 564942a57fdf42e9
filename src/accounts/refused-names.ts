import type { Failure } from '../domain/failure.ts';
import { skeletonOf } from '../domain/skeleton.ts';
import { foldKey, isAscii } from '../domain/text.ts';
import type { Db } from '../store/tables.ts';
import { looksTaken, nameTaken } from './claim-name.ts';

/**
 * Which of these names of new accounts `claimName` would refuse, and why. No account has one of them in any spelling. Of two
 * that look alike, the first one is free. Another write may take a free one before it is claimed.
 */
export async function refusedNames(
  db: Db,
  usernames: readonly string[],
): Promise<ReadonlyMap<string, Failure>> {
  const refused = new Map<string, Failure>();
  if (usernames.length === 0) return refused;
  const reserved = await reservedKeys(db, usernames.map(foldKey));
  const looks = await looksOf(db, usernames.map(skeletonOf));
  for (const username of usernames) {
    const [skeleton, isShared] = [skeletonOf(username), isAscii(username)];
    if (reserved.has(foldKey(username))) refused.set(username, nameTaken());
    else if (looks.has(skeleton) && !(isShared && looks.get(skeleton))) refused.set(username, looksTaken());
    else looks.set(skeleton, isShared);
  }
  return refused;
}

async function reservedKeys(db: Db, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('reserved_names')
    .select('username_key')
    .where('username_key', 'in', keys)
    .execute();
  return new Set(rows.map(({ username_key }) => username_key));
}

/** The skeletons that are taken, and whether names of ASCII share them. */
async function looksOf(db: Db, skeletons: readonly string[]): Promise<Map<string, boolean>> {
  const rows = await db
    .selectFrom('username_skeletons')
    .select(['skeleton', 'user_id'])
    .where('skeleton', 'in', skeletons)
    .execute();
  return new Map(rows.map(({ skeleton, user_id }) => [skeleton, user_id === null]));
}
