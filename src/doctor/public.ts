import { isThisMachine } from '../domain/source.ts';
import { type Finding, finding } from './finding.ts';

/** The settings that the checklist of going public is about (docs/security.md). */
export interface PublicSettings {
  readonly host: string;
  readonly publicUrl: string | undefined;
  readonly trustProxy: false | readonly string[];
  readonly metrics: { readonly host: string } | undefined;
  readonly usersList: 'members' | 'admins';
  readonly registration: 'open' | 'invite' | 'closed';
  readonly emailVerification: 'off' | 'required';
  readonly mfaRequired: string;
  readonly passwordBlocklist: ReadonlySet<string>;
  readonly mail: unknown;
}

/** Before PUBLIC_URL names an address beyond this machine, only what other machines reach by mistake is of interest. */
export function checkGoingPublic(settings: PublicSettings): Finding[] {
  const { publicUrl, host, metrics } = settings;
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  const isPublic = url !== undefined && !isThisMachine(url.hostname.replace(/^\[|\]$/g, ''));
  const advice = [
    !isThisMachine(host) &&
      `HOST=${host} can be reached from other machines without TLS; let only the proxy reach it, or set HOST=127.0.0.1.`,
    metrics &&
      !isThisMachine(metrics.host) &&
      `METRICS_HOST=${metrics.host} shows the metrics to other machines without a password; let only your Prometheus reach it.`,
    ...(isPublic ? openToAll(settings, url) : []),
  ].filter((each) => typeof each === 'string');
  if (advice.length > 0) return advice.map((says) => finding('going public', 'advice', says));
  const says = isPublic
    ? 'The settings follow the checklist of going public.'
    : 'Only this machine is meant to use it.';
  return [finding('going public', 'ok', says)];
}

function openToAll(settings: PublicSettings, url: URL): (string | false)[] {
  const { trustProxy, usersList, registration, emailVerification, mfaRequired, passwordBlocklist, mail } =
    settings;
  return [
    url.protocol !== 'https:' && 'PUBLIC_URL has no TLS; put a proxy with TLS in front and set https://.',
    trustProxy === false &&
      'TRUST_PROXY is off, so all clients of a proxy are one source; set it to the address of the proxy.',
    usersList === 'members' &&
      "USERS_LIST=members shows members each other's addresses; set USERS_LIST=admins unless that is meant.",
    registration === 'open' &&
      emailVerification === 'off' &&
      'Everybody can register with any address; set EMAIL_VERIFICATION=required, or REGISTRATION.',
    passwordBlocklist.size === 0 && 'The most common passwords are allowed; set PASSWORD_BLOCKLIST.',
    mail === undefined && 'Owners cannot replace a forgotten password; set SMTP_URL.',
    mfaRequired === 'none' && 'Admins need no second factor; set MFA_REQUIRED=admins.',
  ];
}
