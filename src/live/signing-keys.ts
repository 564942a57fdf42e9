import type { Keyring } from '../sessions/keyring.ts';

/** The keys whose tokens are accepted now. */
export type AcceptedKeys = Pick<Keyring, 'keys'>;

/**
 * The ids of these keys. Nothing says which of them signed the token of a stream or a ticket, and a key is removed rarely,
 * so all streams and tickets of before end with any of them: the tokens of a removed key may be a thief's.
 */
export function idsOf({ keys }: AcceptedKeys): ReadonlySet<string> {
  return new Set(keys.map(({ kid }) => kid));
}
