import { Type } from 'typebox';
import { DAY_MS } from '../domain/time.ts';
import { hashOfToken } from '../domain/token-hash.ts';
import { askedBy, callerOf } from '../http/access.ts';
import { answers, answersEnded, BODY_FAILURES, ok } from '../http/envelope.ts';
import { normalised } from '../http/nfc.ts';
import { okPage, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { RandomIdParams } from '../sessions/contract.ts';
import { NameInput } from '../sessions/name-contract.ts';
import { newPersonalToken } from '../sessions/personal-token.ts';
import { newRandomId } from '../sessions/random-id.ts';
import {
  IssuedPersonalToken,
  PersonalToken,
  PersonalTokenInput,
  PersonalTokenPage,
  toPersonalToken,
} from './contract.ts';
import { createPersonalToken } from './create.ts';
import { listPersonalTokens } from './list.ts';
import type { ProgramParts } from './parts.ts';
import { revokePersonalToken } from './revoke.ts';
import { updatePersonalToken } from './update.ts';

export function createRoute(app: App, { store, sendsMail, clock }: ProgramParts): void {
  app.post(
    '/api/auth/tokens',
    {
      ...normalised('name'),
      config: { access: 'signed_in', limits: ['token_creation'], shows: 'own' },
      schema: {
        operationId: 'createPersonalToken',
        tags: ['auth'],
        summary: 'Make a personal access token',
        description:
          'For a program, which sends it as an access token. Only a session that began within the last ten minutes makes one. Each operation says whether it takes such tokens.',
        body: PersonalTokenInput,
        response: answers(IssuedPersonalToken, 'The new token, shown this once.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { name, scope, expires_in_days } = request.body;
      const asked = askedBy(request, clock);
      const [id, token] = [newRandomId(), newPersonalToken()];
      const expiresAt = asked.now + expires_in_days * DAY_MS;
      const created = { id, tokenHash: hashOfToken(token), name, scope, expiresAt, sendsMail };
      await store.write(createPersonalToken, { ...created, ...asked });
      const times = { created_at: asked.now, absolute_expires_at: expiresAt, last_used_at: null };
      return ok({ ...toPersonalToken({ id, name, scope, ...times }), token });
    },
  );
}

export function listRoute(app: App, { store, clock }: ProgramParts): void {
  app.get(
    '/api/auth/tokens',
    {
      config: { access: 'signed_in', limits: [], shows: 'own' },
      schema: {
        operationId: 'listPersonalTokens',
        tags: ['auth'],
        summary: 'List personal access tokens',
        description: 'Those of the caller that live, newest first.',
        querystring: Type.Object(PageQuery),
        response: answers(PersonalTokenPage, 'One page of tokens.', 401, 403),
      },
    },
    async (request, reply) => {
      const query = { ...pageRequest(request.query), userId: callerOf(request).userId, now: clock() };
      return okPage(request, reply, await store.read(listPersonalTokens, query), toPersonalToken);
    },
  );
}

export function updateRoute(app: App, { store, limits, clock }: ProgramParts): void {
  app.put(
    '/api/auth/tokens/:id',
    {
      ...normalised('name'),
      config: { access: 'signed_in', limits: ['nameChanges'], shows: 'own' },
      schema: {
        operationId: 'updatePersonalToken',
        tags: ['auth'],
        summary: 'Rename a personal access token',
        description: 'Its scope and its end stay as they are.',
        params: RandomIdParams,
        body: NameInput,
        response: answers(
          PersonalToken,
          'The token as it is now, without the secret.',
          401,
          403,
          404,
          ...BODY_FAILURES,
        ),
      },
    },
    async (request) => {
      const [caller, now] = [callerOf(request), clock()];
      limits.spend('nameChanges', caller.userId);
      const naming = { id: request.params.id, name: request.body.name, caller, now };
      return ok(toPersonalToken(await store.write(updatePersonalToken, naming)));
    },
  );
}

export function revokeRoute(app: App, { store, clock }: ProgramParts): void {
  app.delete(
    '/api/auth/tokens/:id',
    {
      config: { access: 'signed_in', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'revokePersonalToken',
        tags: ['auth'],
        summary: 'Revoke a personal access token',
        description: 'The token is refused from now on.',
        params: RandomIdParams,
        response: answersEnded(Type.String(), 'token'),
      },
    },
    async (request) => {
      const { id } = request.params;
      await store.write(revokePersonalToken, { id, ...askedBy(request, clock) });
      return ok({ id });
    },
  );
}
