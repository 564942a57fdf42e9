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

/**
 * Why a mail was not taken, for the log: codes alone, such as "EENVELOPE 550 5.1.1". What a mail server says in words
 * may repeat the link that it found in the mail.
 */
export function refusalOf(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (!(error instanceof Error)) return 'unknown';
  const { code, errno, responseCode, response }: { [member: string]: unknown } = { ...error };
  const [, enhanced] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(String(response)) ?? [];
  const system = typeof errno === 'number' ? getSystemErrorName(errno) : undefined;
  const codes = [code, system, responseCode, enhanced].filter((each) => each !== undefined);
  return codes.length > 0 ? codes.join(' ') : error.name;
}
