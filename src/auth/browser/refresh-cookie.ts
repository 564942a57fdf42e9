import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LoginResult } from '../contract.ts';

/** By this prefix a browser refuses the cookie with a Domain, without Secure, and from any other host (RFC 6265bis, 4.1.3). */
const NAME = '__Host-stoa_refresh';
const ATTRIBUTES = { httpOnly: true, secure: true, sameSite: 'strict', path: '/' } as const;

/** The refresh token that came in the cookie, unchecked; undefined where none did. */
export function refreshCookieOf({ headers, server }: FastifyRequest): string | undefined {
  return headers.cookie === undefined ? undefined : server.parseCookie(headers.cookie)[NAME];
}

/** Puts the refresh token into the cookie, which lives as long as the token. Returns what is left for the body. */
export function setRefreshCookie(reply: FastifyReply, { refresh_token, ...others }: LoginResult) {
  reply.setCookie(NAME, refresh_token, { ...ATTRIBUTES, maxAge: others.refresh_expires_in });
  return others;
}

/** Tells the browser to forget the cookie, where it sent one. */
export function clearRefreshCookie(request: FastifyRequest, reply: FastifyReply): void {
  if (refreshCookieOf(request) !== undefined) reply.clearCookie(NAME, ATTRIBUTES);
}
