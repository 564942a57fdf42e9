import type { Origin } from '../domain/origin.ts';
import type { AuthParts } from './parts.ts';
import { endSession } from './session.ts';

/** Ends the session: refused here when this resolves, and by every other instance within a second. */
export async function logout(parts: AuthParts, sessionId: string, origin: Origin): Promise<void> {
  await parts.store.write(endSession, { sessionId, now: parts.clock(), origin });
  parts.authenticator.forget({ key: sessionId });
}
