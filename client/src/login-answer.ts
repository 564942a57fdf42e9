import { type AnyFailure, type AnyResult, noAnswer, type Success } from './result.ts';
import type { LoginResult } from './types.gen.ts';

/** Of a call that another tab has overtaken. */
export const TRY_AGAIN: AnyFailure = {
  ok: false,
  status: 401,
  error: { error: 'token_revoked', message: 'Another tab has signed in meanwhile; try again.' },
};

/** A request that took too long has no answer. The caller aborted nothing. */
export function withoutAbort(answer: AnyResult): AnyResult {
  return !answer.ok && answer.error.error === 'aborted' ? noAnswer(undefined, answer.cause) : answer;
}

/** What an access token says of its session and account; nothing for one of another form. */
export function claimsOf(token: string): { readonly sid?: unknown; readonly sub?: unknown } {
  try {
    const [, claims = ''] = token.split('.');
    return Object(JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))));
  } catch {
    return {};
  }
}

/** The id of the account; undefined for a token that does not say it. */
export function accountOf(token: string): number | undefined {
  return Number(claimsOf(token).sub) || undefined;
}

/** A success without a token, as where `url` is wrong, is a failure. */
export function loginOf(answer: AnyResult): Success<LoginResult> | AnyFailure {
  if (!answer.ok) return answer;
  const data = Object(answer.data);
  if (typeof data.token === 'string' && typeof data.expires_in === 'number') return { ...answer, data };
  const message = 'This is no answer of Stoa to a sign-in; check the url.';
  const { status, headers } = answer;
  return { ok: false, status, headers, error: { error: 'unexpected', message } };
}
