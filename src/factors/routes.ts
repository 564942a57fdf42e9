import { Type } from 'typebox';
import { SECOND_FACTORS } from '../domain/second-factor.ts';
import { isoTime } from '../domain/time.ts';
import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import { IdParams, idIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { RecoveryCodes, SecondFactors, TotpConfirmation, TotpSecret } from './contract.ts';
import { listSecondFactors } from './list.ts';
import type { FactorParts } from './parts.ts';
import { newRecoveryCodes } from './recovery-codes/codes.ts';
import { createRecoveryCodes } from './recovery-codes/create.ts';
import { resetUserFactors } from './reset.ts';
import { beginTotpOf } from './totp/begin.ts';
import { confirmTotpOf } from './totp/confirm.ts';
import { removeTotp } from './totp/remove.ts';

/** The authenticator app and the recovery codes of the caller, and which second factors there are. */
export function factorRoutes(app: App, parts: FactorParts): void {
  const { store, clock, mfaRequired, sendsMail } = parts;

  app.post(
    '/api/auth/totp',
    {
      config: { access: 'signed_in', limits: ['factor_change'], shows: 'own', beforeSetUp: true },
      schema: {
        operationId: 'beginTotp',
        tags: ['auth'],
        summary: 'Begin with an authenticator app',
        description:
          'The secret is not on before POST /api/auth/totp/confirm, within an hour. One that is on stays on until then. Only a session that began within the last ten minutes may ask.',
        response: answers(TotpSecret, 'The secret, shown this once.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => ok(await beginTotpOf(parts, callerOf(request))),
  );

  app.post(
    '/api/auth/totp/confirm',
    {
      config: { access: 'signed_in', limits: ['first_code'], shows: 'own', beforeSetUp: true },
      schema: {
        operationId: 'confirmTotp',
        tags: ['auth'],
        summary: 'Turn an authenticator app on',
        description:
          'From now on a login needs a code. Replaces the app that was on, and all recovery codes. Other sessions go on.',
        body: TotpConfirmation,
        response: answers(RecoveryCodes, 'The recovery codes.', 401, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { userId, sessionId } = callerOf(request);
      const { code } = request.body;
      const recovery_codes = await confirmTotpOf(parts, { userId, sessionId }, code, originOf(request));
      return ok({ recovery_codes });
    },
  );

  app.delete(
    '/api/auth/totp',
    {
      config: { access: 'signed_in', limits: ['factor_change'], shows: 'nothing' },
      schema: {
        operationId: 'removeTotp',
        tags: ['auth'],
        summary: 'Turn the authenticator app off',
        description:
          'With the last second factor go the recovery codes. Only a session that began within the last ten minutes may ask.',
        response: answers(Type.Object({}), 'The authenticator app is off.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const [caller, origin, now] = [callerOf(request), originOf(request), clock()];
      await store.write(removeTotp, { caller, mfaRequired, sendsMail, origin, now });
      return ok({});
    },
  );

  app.post(
    '/api/auth/recovery-codes',
    {
      config: { access: 'signed_in', limits: ['factor_change'], shows: 'own' },
      schema: {
        operationId: 'createRecoveryCodes',
        tags: ['auth'],
        summary: 'Make new recovery codes',
        description:
          'Those of before are of no use any more. Only a session that began within the last ten minutes may ask.',
        response: answers(RecoveryCodes, 'The recovery codes.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const [caller, origin, now] = [callerOf(request), originOf(request), clock()];
      const { codes, codeHashes } = newRecoveryCodes(caller.userId);
      await store.write(createRecoveryCodes, { codeHashes, sendsMail, caller, origin, now });
      return ok({ recovery_codes: codes });
    },
  );

  app.get(
    '/api/auth/second-factors',
    {
      config: { access: 'signed_in', limits: [], shows: 'own', beforeSetUp: true },
      schema: {
        operationId: 'listSecondFactors',
        tags: ['auth'],
        summary: 'Which second factors do I have?',
        description:
          'The authenticator app, if one is on, how many passkeys there are, and how many recovery codes are left.',
        response: answers(SecondFactors, 'The second factors of the caller.', 401),
      },
    },
    async (request) => {
      const { totpSince, passkeys, recoveryCodes } = await store.read(
        listSecondFactors,
        callerOf(request).userId,
      );
      const totp = totpSince === null ? {} : { totp: { enabled_at: isoTime(totpSince) } };
      return ok({ ...totp, passkeys, recovery_codes_left: recoveryCodes });
    },
  );
}

/** What admins do to the second factors of others. */
export function resetFactorsRoute(app: App, { store, clock, sendsMail }: FactorParts): void {
  const reset = Type.Object({
    removed: Type.Array(Type.Enum(SECOND_FACTORS, { type: 'string' }), { description: 'The kinds.' }),
  });
  app.delete(
    '/api/users/:id/second-factors',
    {
      config: { access: 'admin', limits: [], shows: 'all' },
      schema: {
        operationId: 'resetUserFactors',
        tags: ['users'],
        summary: 'Remove all second factors of an account',
        description:
          'Removes the authenticator app, all passkeys and all recovery codes of a user who lost them. Sessions go on, and the owner is told by mail. Takes a sign-in of the last ten minutes. For admins only, and not for the own account.',
        params: IdParams,
        response: answers(reset, 'What was removed.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { userId, sessionId } = callerOf(request);
      const asked = { caller: { userId, sessionId }, now: clock(), origin: originOf(request), sendsMail };
      const removed = await store.write(resetUserFactors, { id: idIn(request.params, 'user'), ...asked });
      return ok({ removed });
    },
  );
}
