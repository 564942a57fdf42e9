import { Failure } from '../domain/failure.ts';
import { MINUTE_MS } from '../domain/time.ts';
import type { Db } from '../store/tables.ts';
import type { LivingSession } from './living-session.ts';

const RECENT_MINUTES = 10;

/** A session that begins later than this from now was begun while a clock was ahead. Clocks of instances may differ a bit. */
const LEEWAY_MS = MINUTE_MS;

/**
 * Called inside a write whose effect outlives the access token that asks for it. A thief who has only the token cannot
 * sign in (docs/decisions/sessions.md). Fails with `recent_sign_in_required` where the session began longer ago.
 */
export async function requireRecentSignIn(
  db: Db,
  { sessionId, now }: Pick<LivingSession, 'sessionId' | 'now'>,
): Promise<void> {
  const recent = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('scope', 'is', null)
    .where('created_at', '>', now - RECENT_MINUTES * MINUTE_MS)
    .where('created_at', '<=', now + LEEWAY_MS)
    .executeTakeFirst();
  if (recent) return;
  throw new Failure({
    error: 'recent_sign_in_required',
    message: `Log in again: this is for sessions that began within the last ${RECENT_MINUTES} minutes.`,
  });
}
