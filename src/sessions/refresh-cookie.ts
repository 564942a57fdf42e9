import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { LoginResult, RefreshTokenIn } from './contract.ts';

/** By this prefix a browser refuses the cookie with a Domain, without Secure, and from any other host (RFC 6265bis, 4.1.3). */
export const REFRESH_COOKIE = '__Host-stoa_refresh';
const ATTRIBUTES = { httpOnly: true, secure: true, sameSite: 'strict', path: '/' } as const;

interface SignInRequest {
  readonly body: { readonly refresh_token_in?: Static<typeof RefreshTokenIn> | undefined };
}

/**
 * The `data` of the answer to a sign-in, the same for every way to sign in. The refresh token is there, or in the cookie
 * where the request asked for that (docs/decisions/sessions.md). The body of such a route is JSON, which a page of another
 * origin cannot send without asking first: no such page signs a visitor in to another user's account.
 */
export function answerSignIn({ body }: SignInRequest, reply: FastifyReply, result: LoginResult) {
  return body.refresh_token_in === 'cookie' ? setRefreshCookie(reply, result) : result;
}

/** The refresh token that came in the cookie, unchecked; undefined where none did. */
export function refreshCookieOf({ headers, server }: FastifyRequest): string | undefined {
  return headers.cookie === undefined ? undefined : server.parseCookie(headers.cookie)[REFRESH_COOKIE];
}

/** Puts the refresh token into the cookie, which lives as long as the token. Returns what is left for the body. */
export function setRefreshCookie(reply: FastifyReply, { refresh_token, ...others }: LoginResult) {
  reply.setCookie(REFRESH_COOKIE, refresh_token, { ...ATTRIBUTES, maxAge: others.refresh_expires_in });
  return others;
}

/** Makes the browser forget the cookie, where it sent one. */
export function clearRefreshCookie(request: FastifyRequest, reply: FastifyReply): void {
  if (refreshCookieOf(request) !== undefined) reply.clearCookie(REFRESH_COOKIE, ATTRIBUTES);
}
