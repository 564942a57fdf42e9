/**
 * pg_trgm takes everything but letters and digits for the end of a word and forgets it. So the keys of
 * users are searched with letters in the place of what they have else: a few more texts look alike,
 * and those the keys themselves tell apart.
 */
export const SEPARATORS = '@._-';
export const STAND_INS = 'qxzj';

/** The keyword as the column `search_keys` (migration 0006) would have it. */
export function withStandIns(keyword: string): string {
  return keyword.replace(/[@._-]/g, (each) => STAND_INS[SEPARATORS.indexOf(each)] ?? each);
}

/** True when other texts have the same search key, or when it may stand across the two keys of a user. */
export function hasLookAlikes(searchKey: string): boolean {
  return /[qxzj ]/.test(searchKey);
}
