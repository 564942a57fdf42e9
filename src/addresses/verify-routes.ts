import { Type } from 'typebox';
import { toUser, User } from '../accounts/contract.ts';
import { noMail } from '../domain/failure.ts';
import { askedBy } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { newLink } from '../services/links/token.ts';
import { notQueued } from '../services/mail/queue.ts';
import { MailedLink } from './contract.ts';
import { linkUse } from './link-use.ts';
import type { AddressParts } from './parts.ts';
import { requestOwnVerification, useVerification } from './verify.ts';

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

export function verificationRoute(
  app: App,
  { store, sealing, limits, sendsMail, clock }: AddressParts,
): void {
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
}
