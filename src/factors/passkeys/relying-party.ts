import { isIP } from 'node:net';
import { Failure } from '../../domain/failure.ts';

/** Which service passkeys are for (WebAuthn, "Relying Party"). */
export interface RelyingParty {
  /** A host name. A passkey works only on pages of this host and of its subdomains. */
  readonly id: string;
  /** The origins of the pages that may use passkeys. */
  readonly origins: readonly string[];
}

/**
 * The relying party by the settings PUBLIC_URL and CORS_ORIGINS. Undefined where browsers offer no passkeys: without
 * PUBLIC_URL, at an IP address, and with http on another host than localhost.
 */
export function relyingPartyOf(
  publicUrl: string | undefined,
  corsOrigins: readonly string[],
): RelyingParty | undefined {
  const url = publicUrl === undefined ? null : URL.parse(publicUrl);
  if (!url || isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  if (url.protocol !== 'https:' && url.hostname !== 'localhost') return undefined;
  return { id: url.hostname, origins: [url.origin, ...corsOrigins] };
}

/** The failure where the service has no passkeys. */
export function noPasskeys(): Failure {
  return new Failure({
    error: 'no_passkeys',
    message:
      'This service has no passkeys. Its operator has to set PUBLIC_URL to its https address, or to http://localhost:<port> to try it out.',
  });
}
