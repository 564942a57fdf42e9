import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Failure, malformed } from '../domain/failure.ts';

/** A name or an address, and a port or none (RFC 9110, 7.2). No comma, by which lists of hosts come. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/i;
const ABSOLUTE = /^https?:\/\//i;

/**
 * Refuses heads that Node.js lets pass or answers outside of the envelope: not exactly one valid Host (two
 * servers in a row may each believe another one), and an Expect that is none of ours.
 */
export function requireProperHead(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const { expect } = raw.headers;
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
      const message = 'The header "Expect" may ask for "100-continue" alone.';
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
