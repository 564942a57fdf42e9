import type { Caller, Scope } from '../domain/account.ts';
import { type Failure, forbidden, tokenInvalid } from '../domain/failure.ts';

const FOR_PEOPLE =
  'This is a personal access token, which may not do this; log in, and send the access token.';

/** The failure for a personal access token on a route that takes none, or one with more rights. */
export function beyondScope(
  { scope }: Pick<Caller, 'scope'>,
  { programs }: { readonly programs?: Scope },
): Failure | undefined {
  if (scope === null) return undefined;
  if (programs === undefined) return tokenInvalid(FOR_PEOPLE);
  return programs === 'write' && scope === 'read'
    ? forbidden('This token may only read; send one with the scope "write".')
    : undefined;
}
