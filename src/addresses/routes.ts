import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { toUser, User } from '../accounts/contract.ts';
import type { RegistrationMode } from '../domain/account.ts';
import { noMail } from '../domain/failure.ts';
import { hashOfToken } from '../domain/token-hash.ts';
import { askedBy } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { normalised } from '../http/nfc.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import type { Purpose } from '../services/links/purposes.ts';
import { newLink } from '../services/links/token.ts';
import { type LinkUse, requireLink } from '../services/links/use.ts';
import { notQueued } from '../services/mail/queue.ts';
import type { Sealing } from '../services/sealing/sealing.ts';
import type { SessionParts } from '../sessions/parts.ts';
import { confirmEmailChange } from './confirm-change.ts';
import { EmailInput, MailedLink } from './contract.ts';
import { requestEmailChange, resendEmailChange, withdrawEmailChange } from './request-change.ts';
import { revertEmailChange } from './revert-change.ts';
import { requestOwnVerification, useVerification } from './verify.ts';

interface AddressParts extends Pick<SessionParts, 'store' | 'limits' | 'clock'> {
  readonly sealing: Sealing;
  readonly sendsMail: boolean;
  readonly registration: RegistrationMode;
}

/** Proving and changing the e-mail address of an account. */
export function addressRoutes(app: App, parts: AddressParts): void {
  const { store, sealing, limits, sendsMail, registration, clock } = parts;

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
      const use = await linkUse(request, request.body.token, 'verify_email', 'register');
      const proof = { ...use, mayRegister: registration === 'open' };
      return ok(toUser(await store.write(useVerification, proof)));
    },
  );

  app.post(
    '/api/auth/email/verification',
    {
      config: { access: 'signed_in', limits: ['mailedLinks', 'mail', 'mail_source'], shows: 'nothing' },
      schema: {
        operationId: 'requestEmailVerification',
        tags: ['auth'],
        summary: 'Ask for a link that proves the own e-mail address',
        description:
          'Mails the link to the address of the caller, unless that is proved already. The link works once, within a day. Five links to one address are free, and then one each twelve minutes.',
        response: answers(
          Type.Object({}),
          'The mail is on its way, or the address is proved already.',
          401,
          403,
          ...BODY_FAILURES,
        ),
      },
    },
    async (request) => {
      const asked = askedBy(request, clock);
      limits.spend('mailedLinks', asked.origin.source);
      if (!sendsMail) throw noMail('This service sends no mail, so no address can be proved.');
      const link = newLink(sealing, 'verify_email');
      const queueing = await store.write(requestOwnVerification, { ...asked, link });
      if (queueing !== 'queued' && queueing !== 'proved') throw notQueued(queueing);
      return ok({});
    },
  );

  app.post(
    '/api/auth/email',
    {
      ...normalised('email'),
      config: { access: 'signed_in', limits: ['email_change', 'mail', 'mail_source'], shows: 'nothing' },
      schema: {
        operationId: 'requestEmailChange',
        tags: ['auth'],
        summary: 'Ask for another e-mail address',
        description:
          'Mails a link to the new address, which the account has once the link is followed. Only a session that began within the last ten minutes may ask. The link works once, within a day. Five changes are free, and then one each hour.',
        body: EmailInput,
        response: answers(Type.Object({}), 'The mail is on its way.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const change = { ...askedBy(request, clock), email: request.body.email, link: changeLink() };
      await store.write(requestEmailChange, change);
      return ok({});
    },
  );

  app.post(
    '/api/auth/email/change/resend',
    {
      config: { access: 'signed_in', limits: ['email_resend', 'mail', 'mail_source'], shows: 'nothing' },
      schema: {
        operationId: 'resendEmailChange',
        tags: ['auth'],
        summary: 'Mail the link of a change of the e-mail address again',
        description:
          'Mails one more link to the new address, which works within a day. Earlier links stay good. Five mails of one session are free, and then one each hour.',
        response: answers(Type.Object({}), 'The mail is on its way.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      await store.write(resendEmailChange, { ...askedBy(request, clock), link: changeLink() });
      return ok({});
    },
  );

  app.delete(
    '/api/auth/email/change',
    {
      config: { access: 'signed_in', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'withdrawEmailChange',
        tags: ['auth'],
        summary: 'Withdraw a change of the e-mail address',
        description:
          'Ends the change that waits: the links that were mailed to the new address are of no use any more.',
        response: answers(Type.Object({}), 'The account keeps its address.', 401, 403, 404, ...BODY_FAILURES),
      },
    },
    async (request) => {
      await store.write(withdrawEmailChange, askedBy(request, clock));
      return ok({});
    },
  );

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
      const use = await linkUse(request, request.body.token, 'change_email');
      await store.write(confirmEmailChange, { ...use, undo: newLink(sealing, 'revert_email') });
      return ok({});
    },
  );

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
      const use = await linkUse(request, request.body.token, 'revert_email');
      await store.write(revertEmailChange, { ...use, reset: newLink(sealing, 'reset_password') });
      return ok({});
    },
  );

  /** Counts the request for its source. Fails with `link_invalid` where there is no such link. */
  async function linkUse(request: FastifyRequest, token: string, ...purposes: Purpose[]): Promise<LinkUse> {
    const origin = originOf(request);
    limits.spend('mailedLinks', origin.source);
    const use = { tokenHash: hashOfToken(token), now: clock() };
    await store.read(requireLink, { ...use, purposes });
    return { ...use, origin };
  }

  function changeLink() {
    if (sendsMail) return newLink(sealing, 'change_email');
    throw noMail('This service sends no mail; ask whoever runs it for another e-mail address.');
  }
}
