import { hashOfToken } from '../domain/token-hash.ts';
import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { takesName } from './contract.ts';
import { createPersonalToken } from './create-personal-token.ts';
import type { AuthParts } from './parts.ts';
import { newPersonalToken } from './personal-token.ts';
import {
  endAfter,
  IssuedPersonalToken,
  NewPersonalToken,
  toPersonalToken,
} from './personal-token-contract.ts';
import { newRandomId } from './random-id.ts';

export function createPersonalTokenRoute(app: App, { store, clock, sendsMail }: AuthParts): void {
  app.post(
    '/api/auth/tokens',
    {
      ...takesName,
      config: { access: 'signed_in' },
      schema: {
        operationId: 'createPersonalToken',
        tags: ['auth'],
        summary: 'Make a personal access token',
        description:
          'For a program, which sends it as an access token. Only a session that began within the last ten minutes makes one. Each operation says whether it takes such tokens.',
        body: NewPersonalToken,
        response: answers(IssuedPersonalToken, 'The new token, shown this once.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { name, scope, expires_in_days } = request.body;
      const [caller, origin, now] = [callerOf(request), originOf(request), clock()];
      const [id, token, expiresAt] = [newRandomId(), newPersonalToken(), endAfter(expires_in_days, now)];
      const tokenHash = hashOfToken(token);
      const created = { id, tokenHash, name, scope, expiresAt, sendsMail };
      await store.write(createPersonalToken, { ...created, caller, origin, now });
      const row = { id, name, scope, created_at: now, absolute_expires_at: expiresAt, last_used_at: null };
      return ok({ ...toPersonalToken(row), token });
    },
  );
}
