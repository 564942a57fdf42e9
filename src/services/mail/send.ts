import { getSystemErrorName } from 'node:util';
import { OperatorError } from '../../domain/operator-error.ts';
import type { MailSettings, SmtpServer } from './settings.ts';

/** A mail that is ready to be sent. */
export interface ReadyMail {
  /** The same at each attempt, so that a mail server can recognise a repeated mail. */
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

/** Time-outs in milliseconds for a silent mail server. */
const PATIENCE = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
} as const;

/** Gives the mail to the mail server, or prints it. Resolves when it was taken, and rejects otherwise. */
export async function sendMail(
  { server, from }: Pick<MailSettings, 'server' | 'from'>,
  mail: ReadyMail,
  { log, signal }: { readonly log: MailLog; readonly signal: AbortSignal },
): Promise<void> {
  const { id, recipient, subject, text, html } = mail;
  if (server === 'log')
    return log.info({ to: recipient, subject, text }, 'a mail, which is not sent (SMTP_URL=log)');
  const transport = await transportTo(server);
  await transport.sendMail({
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

/** Connects to the mail server, with TLS and the login that the settings say, and sends nothing. Rejects where that fails. */
export async function tryMailServer(server: SmtpServer): Promise<void> {
  await (await transportTo(server)).verify();
}

async function transportTo({ host, port, tls, auth }: SmtpServer) {
  // Loaded with the first mail, so that no start waits for it.
  const { createTransport } = await import('nodemailer');
  const security = { secure: tls === 'always', requireTLS: tls === 'required', ignoreTLS: tls === 'off' };
  return createTransport({ host, port, ...security, ...PATIENCE, ...(auth ? { auth } : {}) });
}

/**
 * Codes of RFC 3463 that are about the address of a recipient: unknown, unknown domain, not an address, moved, a domain
 * without mail, disabled.
 */
const MAILBOX_CODES: ReadonlySet<string> = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1']);

/** Replies of RFC 5321 about a mailbox, from servers without the codes above. */
const MAILBOX_REPLIES: ReadonlySet<number> = new Set([550, 551, 553]);
/**
 * Such a server has the same reply for another reason than the mailbox, which then stands for all mails: Exim says "550
 * relay not permitted", and "550 Administrative prohibition".
 */
const ABOUT_SETTINGS =
  /relay|rcpthosts|auth|login|sender|quota|exceed|limit|prohibit|denied|permit|black|block|host|policy|spam/i;

/**
 * True if the mail server refuses the recipient of a mail for good. Anything else may come from a wrong setting or from
 * a quota, and then for all mails.
 */
export function isRecipientRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { command, responseCode, response }: { [member: string]: unknown } = { ...error };
  if (command !== 'RCPT TO' || typeof responseCode !== 'number' || responseCode < 500) return false;
  const code = enhancedCodeIn(response);
  if (code !== undefined) return MAILBOX_CODES.has(code);
  return MAILBOX_REPLIES.has(responseCode) && !ABOUT_SETTINGS.test(String(response));
}

/** The code of RFC 3463 in the answer of a mail server. */
function enhancedCodeIn(response: unknown): string | undefined {
  return /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(String(response))?.[1];
}

/**
 * Why a mail was not taken, for the log. Only codes, such as "EENVELOPE 550 5.1.1", because the text of a mail server
 * may repeat the link in the mail.
 */
export function refusalOf(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (!(error instanceof Error)) return 'unknown';
  const { code, errno, responseCode, response }: { [member: string]: unknown } = { ...error };
  const system = typeof errno === 'number' ? getSystemErrorName(errno) : undefined;
  const codes = [code, system, responseCode, enhancedCodeIn(response)].filter((each) => each !== undefined);
  return codes.length > 0 ? codes.join(' ') : error.name;
}
