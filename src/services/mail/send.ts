import { getSystemErrorName } from 'node:util';
import { OperatorError } from '../../domain/operator-error.ts';
import type { MailSettings, SmtpServer } from './settings.ts';

/** A mail as it leaves. */
export interface ReadyMail {
  /** The same at each attempt, so that a mail server can tell a mail that comes twice. */
  readonly id: string;
  readonly recipient: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface MailLog {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
}

/** Times in milliseconds for a mail server that says nothing. */
const PATIENCE = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
} as const;

/** Hands a mail to the mail server, or prints it: resolves when it was taken, and rejects when it was not. */
export async function sendMail(
  { server, from }: Pick<MailSettings, 'server' | 'from'>,
  mail: ReadyMail,
  { log, signal }: { readonly log: MailLog; readonly signal: AbortSignal },
): Promise<void> {
  const { id, recipient, subject, text, html } = mail;
  if (server === 'log')
    return log.info({ to: recipient, subject, text }, 'a mail, which is not sent (SMTP_URL=log)');
  // Loaded with the first mail: a start takes no time for it.
  const { createTransport } = await import('nodemailer');
  await createTransport(optionsOf(server)).sendMail({
    from: { ...from },
    to: { name: '', address: recipient },
    subject,
    text,
    html,
    messageId: `<${id}@${from.address.split('@').at(-1)}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
    signal,
  });
}

function optionsOf({ host, port, tls, auth }: SmtpServer) {
  const security = { secure: tls === 'always', requireTLS: tls === 'required', ignoreTLS: tls === 'off' };
  return { host, port, ...security, ...PATIENCE, ...(auth ? { auth } : {}) };
}

/** Of a session that did not log in. It is no word about the recipient. */
const NOT_AUTHENTICATED = 530;

/**
 * True where the mail server refuses the recipient of a mail for good. Not where it lets nobody send there who is not
 * allowed to ("relay access denied", 5.7.x), or asks for a login: a wrong setting of the operator does the same to all mails.
 */
export function isRecipientRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { command, responseCode, response }: { [member: string]: unknown } = { ...error };
  if (command !== 'RCPT TO' || typeof responseCode !== 'number' || responseCode < 500) return false;
  return responseCode !== NOT_AUTHENTICATED && !enhancedCodeIn(response)?.startsWith('5.7.');
}

/** The code of RFC 3463 in the answer of a mail server. */
function enhancedCodeIn(response: unknown): string | undefined {
  return /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(String(response))?.[1];
}

/**
 * Why a mail was not taken, for the log: codes alone, such as "EENVELOPE 550 5.1.1". What a mail server says in words
 * may repeat the link that it found in the mail.
 */
export function refusalOf(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (!(error instanceof Error)) return 'unknown';
  const { code, errno, responseCode, response }: { [member: string]: unknown } = { ...error };
  const system = typeof errno === 'number' ? getSystemErrorName(errno) : undefined;
  const codes = [code, system, responseCode, enhancedCodeIn(response)].filter((each) => each !== undefined);
  return codes.length > 0 ? codes.join(' ') : error.name;
}
