/**
 * For every response, after the OWASP REST Security and HTTP Headers cheat sheets. By default nothing is cached,
 * because most answers have tokens or personal data.
 */
export function securityHeaders(isHttps: boolean): Readonly<Record<string, string>> {
  return Object.freeze({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(isHttps ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  });
}
