import { BlockList, isIP } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import { OperatorError } from '../../domain/operator-error.ts';
import { placeOf } from './place.ts';

/** Addresses that no cable leads to. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Fails with OperatorError where the database is on another machine and would be reached without TLS, and nobody
 * asked for that by `sslmode=disable`. `pg` uses no TLS unless it is told to, and says nothing.
 */
export function requireTls(url: string, config: ClientConfig): void {
  // What `pg` makes of the URL and of PGHOST and PGSSLMODE; it connects to nothing yet.
  const { host, ssl } = new Client(config);
  if (ssl || isThisMachine(host) || new URL(url).searchParams.get('sslmode') === 'disable') return;
  throw new OperatorError(
    `The database ${placeOf(url)} is on another machine and would be reached without TLS; add ?sslmode=verify-full to its URL (with &sslrootcert=<file> for a CA of your own), or ?sslmode=disable if you trust the network.`,
  );
}

function isThisMachine(host: string): boolean {
  if (host.startsWith('/') || host === 'localhost') return true;
  const version = isIP(host);
  return version > 0 && LOOPBACK.check(host, version === 6 ? 'ipv6' : 'ipv4');
}
