import { refusalOf, tryMailServer } from '../services/mail/send.ts';
import type { MailSettings } from '../services/mail/settings.ts';
import { type Finding, finding } from './finding.ts';

/** Does the mail server take a connection, its TLS and the login? Sends nothing. */
export async function checkMail(mail: Pick<MailSettings, 'server'> | undefined): Promise<Finding> {
  if (!mail) return finding('mail', 'ok', 'The service sends no mail (SMTP_URL is not set).');
  if (mail.server === 'log')
    return finding(
      'mail',
      'advice',
      'Mails are printed to the log and not sent; set SMTP_URL to a mail server.',
    );
  const place = `${mail.server.host}:${mail.server.port}`;
  try {
    await tryMailServer(mail.server);
    return finding('mail', 'ok', `The mail server ${place} takes the connection and the login.`);
  } catch (error) {
    const why = refusalOf(error);
    return finding(
      'mail',
      'wrong',
      `The mail server ${place} cannot be used (${why}); correct SMTP_URL or start it.`,
    );
  }
}
