import { Type } from 'typebox';
import { noMail } from '../domain/failure.ts';
import { askedBy } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { normalised } from '../http/nfc.ts';
import type { App } from '../http/server.ts';
import { newLink } from '../services/links/token.ts';
import { notQueued } from '../services/mail/queue.ts';
import { EmailInput } from './contract.ts';
import type { AddressParts } from './parts.ts';
import { requestEmailChange, resendEmailChange, withdrawEmailChange } from './request-change.ts';
import { requestOwnVerification } from './verify.ts';

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

export function requestChangeRoute(app: App, parts: AddressParts): void {
  const { store, clock } = parts;
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
      const change = { ...askedBy(request, clock), email: request.body.email, link: changeLink(parts) };
      await store.write(requestEmailChange, change);
      return ok({});
    },
  );
}

export function resendChangeRoute(app: App, parts: AddressParts): void {
  const { store, clock } = parts;
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
      await store.write(resendEmailChange, { ...askedBy(request, clock), link: changeLink(parts) });
      return ok({});
    },
  );
}

export function withdrawChangeRoute(app: App, { store, clock }: AddressParts): void {
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
}

/** Fails with `no_mail` where the service sends none. */
function changeLink({ sealing, sendsMail }: Pick<AddressParts, 'sealing' | 'sendsMail'>) {
  if (sendsMail) return newLink(sealing, 'change_email');
  throw noMail('This service sends no mail; ask an admin of it to change your e-mail address.');
}
