import { isoTime } from '../domain/time.ts';
import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { closeOwnAccount } from './close-own.ts';
import { Closed, RemovalQuery } from './contract.ts';
import type { PersonalDataParts } from './parts.ts';

export function closeOwnAccountRoute(app: App, parts: PersonalDataParts): void {
  const { store, sessionsEnded, graceMs, sendsMail, clock } = parts;
  app.delete(
    '/api/users/me',
    {
      config: { access: 'signed_in' },
      schema: {
        operationId: 'closeAccount',
        tags: ['users'],
        summary: 'Close and remove the own account',
        description:
          'Takes a sign-in of the last ten minutes. The account is closed at once, which ends all sessions and personal access tokens, and removed after the days of the setting DELETION_DAYS. Until then POST /api/auth/restore takes it back. The owner is told by mail.',
        querystring: RemovalQuery,
        response: answers(Closed, 'When the account is removed.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { content = 'keep' } = request.query;
      const { userId, sessionId } = callerOf(request);
      const [caller, now] = [{ userId, sessionId }, clock()];
      const closing = { content, closesAt: now + graceMs, sendsMail, origin: originOf(request) };
      await store.write(closeOwnAccount, { caller, now, ...closing });
      sessionsEnded.send();
      return ok({ removed_at: isoTime(now + graceMs) });
    },
  );
}
