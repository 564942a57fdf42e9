import type { Caller } from './account.ts';
import type { Origin } from './origin.ts';

/** Who changes an account, when, and from where: somebody who is signed in, or an operator on the command line. */
export interface By {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly origin: Origin | null;
  readonly actor?: { readonly actorId: number; readonly sessionId: string };
}

/** The caller who asks for a write: the owner of the account, or an admin. */
export function byCaller(
  { now, origin }: { readonly now: number; readonly origin: Origin },
  { userId, sessionId }: Pick<Caller, 'userId' | 'sessionId'>,
): By {
  return { now, origin, actor: { actorId: userId, sessionId } };
}
