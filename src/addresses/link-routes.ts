import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { toUser, User } from '../accounts/contract.ts';
import { hashOfToken } from '../domain/token-hash.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import type { Purpose } from '../services/links/purposes.ts';
import { newLink } from '../services/links/token.ts';
import { type LinkUse, requireLink } from '../services/links/use.ts';
import { confirmEmailChange } from './confirm-change.ts';
import { MailedLink } from './contract.ts';
import type { AddressParts } from './parts.ts';
import { revertEmailChange } from './revert-change.ts';
import { useVerification } from './verify.ts';

export function verifyRoute(app: App, parts: AddressParts): void {
  const { store, registration } = parts;
  app.post(
    '/api/auth/email/verify',
    {
      config: { access: 'public', limits: ['mailedLinks'], shows: 'own' },
      schema: {
        operationId: 'verifyEmail',
        tags: ['auth'],
        summary: 'Prove an e-mail address by a link of a mail',
        description:
          'Makes the account of a registration that waited for it, or proves the address of an account. It does not sign in.',
        body: MailedLink,
        response: answers(User, 'The account, whose address is proved now.', ...BODY_FAILURES),
      },
    },
    async (request) => {
      const use = await linkUse(parts, request, request.body.token, 'verify_email', 'register');
      const proof = { ...use, mayRegister: registration === 'open' };
      return ok(toUser(await store.write(useVerification, proof)));
    },
  );
}

export function confirmChangeRoute(app: App, parts: AddressParts): void {
  const { store, sealing } = parts;
  app.post(
    '/api/auth/email/confirm',
    {
      config: { access: 'public', limits: ['mailedLinks'], shows: 'nothing' },
      schema: {
        operationId: 'confirmEmailChange',
        tags: ['auth'],
        summary: 'Take the new e-mail address by a link of a mail',
        description:
          'Ends all other links that were mailed for the account, but those that undo a change of the address. The address that it had is told, with a link that takes the change back within seven days.',
        body: MailedLink,
        response: answers(Type.Object({}), 'The account has the new address.', ...BODY_FAILURES),
      },
    },
    async (request) => {
      const use = await linkUse(parts, request, request.body.token, 'change_email');
      await store.write(confirmEmailChange, { ...use, undo: newLink(sealing, 'revert_email') });
      return ok({});
    },
  );
}

export function revertChangeRoute(app: App, parts: AddressParts): void {
  const { store, sealing } = parts;
  app.post(
    '/api/auth/email/revert',
    {
      config: { access: 'public', limits: ['mailedLinks'], shows: 'nothing' },
      schema: {
        operationId: 'revertEmailChange',
        tags: ['auth'],
        summary: 'Take a change of the e-mail address back',
        description:
          'By the link that was mailed to the address before. Ends the password, all sessions and all tokens of the account, and mails a link to choose a new password by where the service sends mail.',
        body: MailedLink,
        response: answers(Type.Object({}), 'The account has its address again.', ...BODY_FAILURES),
      },
    },
    async (request) => {
      const use = await linkUse(parts, request, request.body.token, 'revert_email');
      await store.write(revertEmailChange, { ...use, reset: newLink(sealing, 'reset_password') });
      return ok({});
    },
  );
}

/** Counts the request for its source. Fails with `link_invalid` where there is no such link. */
async function linkUse(
  { store, limits, clock }: AddressParts,
  request: FastifyRequest,
  token: string,
  ...purposes: Purpose[]
): Promise<LinkUse> {
  const origin = originOf(request);
  limits.spend('mailedLinks', origin.source);
  const use = { tokenHash: hashOfToken(token), now: clock() };
  await store.read(requireLink, { ...use, purposes });
  return { ...use, origin };
}
