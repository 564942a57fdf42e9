import { isIP } from 'node:net';
import { Failure } from '../../domain/failure.ts';

/** Whom passkeys are for, as browsers know it (WebAuthn, "Relying Party"). */
export interface RelyingParty {
  /** A host name. A passkey is good on pages of this host and of those below it, and nowhere else. */
  readonly id: string;
  /** Of the pages that may use passkeys. */
  readonly origins: readonly string[];
}

/**
 * Out of PUBLIC_URL and CORS_ORIGINS; undefined where browsers offer no passkeys at that address: no PUBLIC_URL, http
 * elsewhere than on localhost, or an IP address.
 */
export function relyingPartyOf(
  publicUrl: string | undefined,
  corsOrigins: readonly string[],
): RelyingParty | undefined {
  const url = publicUrl === undefined ? null : URL.parse(publicUrl);
  if (!url || !offersPasskeys(url)) return undefined;
  return { id: url.hostname, origins: [url.origin, ...corsOrigins] };
}

/** The failure where the service has no passkeys. */
export function noPasskeys(): Failure {
  return new Failure({
    error: 'no_passkeys',
    message:
      'This service has no passkeys: whoever runs it has to set PUBLIC_URL to its https address, or to http://localhost:<port> while it is being tried out.',
  });
}

function offersPasskeys({ protocol, hostname }: URL): boolean {
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false;
  return protocol === 'https:' || hostname === 'localhost';
}
