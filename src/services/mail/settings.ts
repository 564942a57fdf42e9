import { isThisMachine } from '../../domain/source.ts';
import type { Templates } from './templates.ts';

/** A mail server of the setting SMTP_URL. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `always` from the first byte, `required` by STARTTLS before any other command, `off` never. */
  readonly tls: 'always' | 'required' | 'off';
  readonly auth?: { readonly user: string; readonly pass: string };
}

export interface Sender {
  readonly name: string;
  readonly address: string;
}

export interface MailSettings {
  /** `log` prints mails to the log of the service and sends none. */
  readonly server: SmtpServer | 'log';
  readonly from: Sender;
  /** The beginning of the links in mails, without a slash at its end. */
  readonly publicUrl: string;
  readonly templates: Templates;
}

/** RFC 8314 and RFC 6409: submission over TLS, and submission. */
const PORTS = { 'smtps:': 465, 'smtp:': 587 } as const;
const SENDER = /^(?:([^<>"\p{Cc}]*)<([^<>]+)>|([^<>]+))$/u;
const ADDRESS = /^[^\s@<>,;"\p{Cc}]+@[^\s@<>,;"\p{Cc}]+$/u;

/** Undefined if the service sends no mail. The Error never repeats the text, because it has a password. */
export function parseSmtpUrl(text: string): SmtpServer | 'log' | undefined {
  if (text === '') return undefined;
  if (text === 'log') return 'log';
  const url = URL.parse(text);
  const protocol = url?.protocol;
  if (!url?.hostname || (protocol !== 'smtp:' && protocol !== 'smtps:') || !isServerAlone(url))
    throw wrongUrl();
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isPlain = url.search === '?tls=off' || isThisMachine(host);
  const [user, pass] = [decoded(url.username), decoded(url.password)];
  return {
    host,
    port: Number(url.port) || PORTS[protocol],
    tls: protocol === 'smtps:' ? 'always' : isPlain ? 'off' : 'required',
    ...(user === '' ? {} : { auth: { user, pass } }),
  };
}

/** `Name <address>` or only an address. */
export function parseSender(text: string): Sender {
  const [, name = '', inBrackets, alone] = SENDER.exec(text.trim()) ?? [];
  const address = (inBrackets ?? alone ?? '').trim();
  if (ADDRESS.test(address)) return { name: name.trim(), address };
  throw new Error(`must be an address like Stoa <stoa@example.org>, not "${text}".`);
}

function isServerAlone({ pathname, search, hash, protocol }: URL): boolean {
  const isKnown = search === '' || (search === '?tls=off' && protocol === 'smtp:');
  return isKnown && hash === '' && ['', '/'].includes(pathname);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrongUrl();
  }
}

function wrongUrl(): Error {
  return new Error(
    'must be smtps://<user>:<password>@<host>, smtp://... for STARTTLS (with ?tls=off for a network that you trust), or log; special characters in user and password are percent-encoded.',
  );
}
