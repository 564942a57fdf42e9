import { toUser, User } from '../accounts/contract.ts';
import { registeredColumns } from '../accounts/fields.ts';
import { hashOfToken } from '../domain/token-hash.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { normalised } from '../http/nfc.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { PASSWORD_BODY } from '../passwords/contract.ts';
import type { PasswordParts } from '../passwords/parts.ts';
import { Setup, SetupLink, SetupLinkState } from './contract.ts';
import { hasSetupLink, setUp } from './set-up.ts';

/** The link that makes the first admin. */
export function setupRoutes(app: App, parts: PasswordParts): void {
  app.post(
    '/api/setup',
    {
      ...normalised('username', 'email'),
      bodyLimit: PASSWORD_BODY,
      config: { access: 'public', limits: ['mailedLinks'], shows: 'own' },
      schema: {
        operationId: 'setUp',
        tags: ['service'],
        summary: 'Make the first admin',
        description:
          'By the link that the service prints at each start while it has no admin, and that `stoa admin link` prints. A link works once, within a day. It does not sign in.',
        body: Setup,
        response: answers(User, 'The admin.', ...BODY_FAILURES),
      },
    },
    async (request) => {
      const origin = originOf(request);
      parts.limits.spend('mailedLinks', origin.source);
      const { token, username, email, password } = request.body;
      const registration = { username, email, password, given: registeredColumns(request.body) };
      return ok(toUser(await setUp(parts, { token, ...registration }, origin)));
    },
  );
  app.post(
    '/api/setup/link',
    {
      config: { access: 'public', limits: ['mailedLinks'], shows: 'nothing' },
      schema: {
        operationId: 'checkSetupLink',
        tags: ['service'],
        summary: 'Ask whether a setup link can be used',
        description:
          'Does not use the link. A link cannot be used after it made an admin, after a day, and while there is an admin.',
        body: SetupLink,
        response: answers(SetupLinkState, 'What the link can do.', ...BODY_FAILURES),
      },
    },
    async (request) => {
      parts.limits.spend('mailedLinks', originOf(request).source);
      const use = { tokenHash: hashOfToken(request.body.token), now: parts.clock() };
      return ok({ usable: await parts.store.read(hasSetupLink, use) });
    },
  );
}
