import { Type } from 'typebox';
import { DAY_MS } from '../domain/time.ts';
import { hashOfToken } from '../domain/token-hash.ts';
import { askedBy, callerOf } from '../http/access.ts';
import { answers, answersEnded, BODY_FAILURES, ok } from '../http/envelope.ts';
import { normalised } from '../http/nfc.ts';
import { IdParams, idIn, okPage, PageQuery, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { RandomIdParams } from '../sessions/contract.ts';
import { NameInput } from '../sessions/name-contract.ts';
import type { SessionParts } from '../sessions/parts.ts';
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
import { listPersonalTokens, listUserPersonalTokens } from './list.ts';
import { revokePersonalToken, revokeUserToken } from './revoke.ts';
import { updatePersonalToken } from './update.ts';

interface ProgramParts extends Pick<SessionParts, 'store' | 'limits' | 'clock'> {
  readonly sendsMail: boolean;
}

/** Personal access tokens, which programs hold. */
export function programRoutes(app: App, { store, limits, sendsMail, clock }: ProgramParts): void {
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

  app.get(
    '/api/users/:id/tokens',
    {
      config: { access: 'admin', limits: [], shows: 'all' },
      schema: {
        operationId: 'listUserTokens',
        tags: ['users'],
        summary: 'List the personal access tokens of an account',
        description: 'Those that live, newest first. For admins only.',
        params: IdParams,
        querystring: Type.Object(PageQuery),
        response: answers(PersonalTokenPage, 'One page of tokens.', 400, 401, 403, 404),
      },
    },
    async (request, reply) => {
      const userId = idIn(request.params, 'user');
      const query = { ...pageRequest(request.query), userId, now: clock() };
      return okPage(request, reply, await store.read(listUserPersonalTokens, query), toPersonalToken);
    },
  );

  app.delete(
    '/api/users/:id/tokens/:token_id',
    {
      config: { access: 'admin', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'revokeUserToken',
        tags: ['users'],
        summary: 'Revoke a personal access token of an account',
        description:
          'The token is refused from now on. Takes a sign-in of the last ten minutes. For admins only.',
        params: Type.Object({ ...IdParams.properties, token_id: RandomIdParams.properties.id }),
        response: answersEnded(Type.String(), 'token'),
      },
    },
    async (request) => {
      const { token_id: id } = request.params;
      const about = { userId: idIn(request.params, 'user'), id };
      await store.write(revokeUserToken, { ...about, ...askedBy(request, clock) });
      return ok({ id });
    },
  );
}
