/** What tells the kinds of token apart before anything is known of them. */

/** Recognisable to people and to scanners that look for leaked secrets. */
export const REFRESH_PREFIX = 'stoa_rt_';
export const PERSONAL_PREFIX = 'stoa_pat_';
/** RFC 7515, 7.1. */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Has the text the shape of an access token, valid or not? */
export function isAccessToken(text: string): boolean {
  return COMPACT_JWS.test(text);
}

/** Has the text the shape of a refresh token, valid or not? */
export function isRefreshToken(text: string): boolean {
  return text.startsWith(REFRESH_PREFIX);
}

/** Has the text the shape of a personal access token, valid or not? */
export function isPersonalToken(text: string): boolean {
  return text.startsWith(PERSONAL_PREFIX);
}
