/** Recognisable to people and to scanners that look for leaked secrets. */
export const REFRESH_PREFIX = 'stoa_rt_';
export const PERSONAL_PREFIX = 'stoa_pat_';
/** RFC 7515, 7.1. */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

// Each tells only the shape: the token may be invalid.

export function isAccessToken(text: string): boolean {
  return COMPACT_JWS.test(text);
}

export function isRefreshToken(text: string): boolean {
  return text.startsWith(REFRESH_PREFIX);
}

export function isPersonalToken(text: string): boolean {
  return text.startsWith(PERSONAL_PREFIX);
}
