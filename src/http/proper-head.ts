import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Failure, malformed } from '../domain/failure.ts';

/** A name or an address, with or without a port (RFC 9110, 7.2). A list of hosts has a comma, which is refused. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/i;
const ABSOLUTE = /^https?:\/\//i;

/**
 * Refuses heads that Node.js accepts, or answers outside of the envelope: none or several Hosts (a proxy and this
 * service may each believe another one), an Expect other than `100-continue`, and the target `*` with any method but
 * OPTIONS (RFC 9112, 3.2.4).
 */
export function requireProperHead(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    // The router would treat this target as "/".
    if (raw.url?.startsWith('*') && raw.method !== 'OPTIONS')
      return done(malformed('The target "*" is for OPTIONS only; send a path, such as "/docs".'));
    const { expect } = raw.headers;
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
      const message = 'The header "Expect" may ask only for "100-continue".';
      return done(new Failure({ error: 'expectation_failed', message }));
    }
    done(hasProperHost(raw) ? undefined : malformed('Send one valid header "Host", as in the URL.'));
  });
}

function hasProperHost({ headers: { host }, httpVersion, rawHeaders, url = '' }: IncomingMessage): boolean {
  if (host === undefined) return httpVersion === '1.0';
  if (!HOST.test(host)) return false;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  if (count !== 1) return false;
  return !ABSOLUTE.test(url) || URL.parse(url)?.host === URL.parse(`http://${host}`)?.host;
}
