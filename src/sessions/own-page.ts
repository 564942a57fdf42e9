import type { FastifyRequest } from 'fastify';
import { forbidden } from '../domain/failure.ts';

export interface OwnPages {
  /** The address that clients use. Without it, the header Host says what is our own origin. */
  readonly publicUrl: string | undefined;
  /** Of other sites whose pages may use the service. */
  readonly corsOrigins: readonly string[];
}

/**
 * Called before a cookie counts for anything: a browser sends cookies with requests of any page, and the page cannot
 * change these two headers. Browsers send Origin with every POST, and Sec-Fetch-Site only over HTTPS and to the own
 * machine. Fails with `forbidden` unless the page is of our own origin or of one in CORS_ORIGINS.
 */
export function requireOwnPage(request: FastifyRequest, { publicUrl, corsOrigins }: OwnPages): void {
  const { origin = '', 'sec-fetch-site': site } = request.headers;
  if (isOwnOrigin(origin, request.host, publicUrl) && (site ?? 'same-origin') === 'same-origin') return;
  if (corsOrigins.includes(origin) && site !== 'none') return;
  throw forbidden(
    'A refresh token in a cookie counts only for pages of this service, at PUBLIC_URL or the address in the header "Host", and of CORS_ORIGINS; other clients send it in the header "Authorization".',
  );
}

function isOwnOrigin(origin: string, host: string, publicUrl: string | undefined): boolean {
  if (publicUrl !== undefined) return URL.parse(publicUrl)?.origin === origin;
  return /^https?:/.test(origin) && URL.parse(origin)?.host === host;
}
