import { Type } from 'typebox';
import { callerOf } from '../../http/access.ts';
import { answers, answersEnded, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { normalised } from '../../http/nfc.ts';
import { originOf } from '../../http/origin.ts';
import { okPage, PageQuery, pageRequest } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import { RandomIdParams } from '../../sessions/contract.ts';
import { NameInput } from '../../sessions/name-contract.ts';
import type { FactorParts } from '../parts.ts';
import { addPasskey } from './add.ts';
import { beginPasskey } from './begin.ts';
import { CreationOptions, PASSKEY_BODY, Passkey, PasskeyInput, PasskeyPage, toPasskey } from './contract.ts';
import { listPasskeys } from './list.ts';
import { removePasskey } from './remove.ts';
import { updatePasskey } from './update.ts';

/** The passkeys of the caller. */
export function passkeyRoutes(app: App, parts: FactorParts): void {
  const { store, clock, limits, mfaRequired, sendsMail } = parts;

  app.post(
    '/api/auth/passkeys/options',
    {
      config: { access: 'signed_in', limits: ['passkey_addition'], shows: 'own', beforeSetUp: true },
      schema: {
        operationId: 'beginPasskeyRegistration',
        tags: ['auth'],
        summary: 'Begin to add a passkey',
        description:
          'Only a session that began within the last ten minutes adds passkeys. The challenge is good for this session, five minutes and one passkey.',
        response: answers(CreationOptions, 'What the browser needs.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => ok(await beginPasskey(parts, callerOf(request))),
  );

  app.post(
    '/api/auth/passkeys',
    {
      ...normalised('name'),
      bodyLimit: PASSKEY_BODY,
      config: { access: 'signed_in', limits: ['passkey_addition'], shows: 'own', beforeSetUp: true },
      schema: {
        operationId: 'addPasskey',
        tags: ['auth'],
        summary: 'Add a passkey',
        description:
          'The account can then sign in without its password. A login by password also needs a passkey, the authenticator app or a recovery code: it is answered `second_factor_required`. So make recovery codes next (POST /api/auth/recovery-codes). An account has 20 passkeys at most. The owner is told by mail.',
        body: PasskeyInput,
        response: answers(Passkey, 'The new passkey.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const caller = callerOf(request);
      return ok(toPasskey(await addPasskey(parts, caller, request.body, originOf(request))));
    },
  );

  app.get(
    '/api/auth/passkeys',
    {
      config: { access: 'signed_in', limits: [], shows: 'own', beforeSetUp: true },
      schema: {
        operationId: 'listPasskeys',
        tags: ['auth'],
        summary: 'List the own passkeys',
        description: 'Newest first.',
        querystring: Type.Object(PageQuery),
        response: answers(PasskeyPage, 'One page of passkeys.', 401),
      },
    },
    async (request, reply) => {
      const { userId } = callerOf(request);
      const page = await store.read(listPasskeys, { ...pageRequest(request.query), userId });
      return okPage(request, reply, page, toPasskey);
    },
  );

  app.put(
    '/api/auth/passkeys/:id',
    {
      ...normalised('name'),
      config: { access: 'signed_in', limits: ['nameChanges'], shows: 'own' },
      schema: {
        operationId: 'updatePasskey',
        tags: ['auth'],
        summary: 'Rename a passkey',
        description: 'The name is for its owner; the authenticator keeps the one that it has.',
        params: RandomIdParams,
        body: NameInput,
        response: answers(Passkey, 'The passkey as it is now.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const [caller, now] = [callerOf(request), clock()];
      limits.spend('nameChanges', caller.userId);
      const naming = { id: request.params.id, name: request.body.name, caller, now };
      return ok(toPasskey(await store.write(updatePasskey, naming)));
    },
  );

  app.delete(
    '/api/auth/passkeys/:id',
    {
      config: { access: 'signed_in', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'removePasskey',
        tags: ['auth'],
        summary: 'Remove a passkey',
        description:
          'Nobody signs in with it from now on. Sessions that began with it go on. With the last second factor go the recovery codes. Only a session that began within the last ten minutes removes one.',
        params: RandomIdParams,
        response: answersEnded(Type.String(), 'passkey'),
      },
    },
    async (request) => {
      const { id } = request.params;
      const [caller, origin, now] = [callerOf(request), originOf(request), clock()];
      await store.write(removePasskey, { id, caller, mfaRequired, sendsMail, origin, now });
      return ok({ id });
    },
  );
}
