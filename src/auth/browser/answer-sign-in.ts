import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import type { LoginResult } from '../contract.ts';
import type { RefreshTokenIn } from './contract.ts';
import { setRefreshCookie } from './refresh-cookie.ts';

interface SignInRequest {
  readonly body: { readonly refresh_token_in?: Static<typeof RefreshTokenIn> | undefined };
}

/**
 * What the answer to a sign-in has as its `data`, the same for every way to sign in. The refresh token is there, or in
 * the cookie where the request asked for that (decisions 0060). The body of such a route is JSON, which a page of
 * another origin cannot send without being asked beforehand: no such page signs a visitor in to somebody else's account.
 */
export function answerSignIn({ body }: SignInRequest, reply: FastifyReply, result: LoginResult) {
  return body.refresh_token_in === 'cookie' ? setRefreshCookie(reply, result) : result;
}
