import type { Caller } from './account.ts';
import type { Origin } from './origin.ts';

/** Who changes an account, when, and from where: an admin, or an operator on the command line. */
export interface By {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly origin: Origin | null;
  readonly actor?: { readonly actorId: number; readonly sessionId: string };
}

/** The admin who asks for a write. */
export function byAdmin(
  { now, origin }: { readonly now: number; readonly origin: Origin },
  { userId, sessionId }: Pick<Caller, 'userId' | 'sessionId'>,
): By {
  return { now, origin, actor: { actorId: userId, sessionId } };
}
