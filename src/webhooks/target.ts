import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { invalid } from '../domain/failure.ts';
import { isPublicAddress } from './public-address.ts';

const DNS_TIMEOUT_MS = 2_000;

/** A connection would leave the Internet, or go there as plain text. */
export class AddressNotAllowed extends Error {
  constructor() {
    super('The URL must begin with https:// and lead to a public address.');
    this.name = 'AddressNotAllowed';
  }
}

/** The addresses of a host name. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

/** Where webhooks may connect to: the Internet, or anywhere (WEBHOOK_PRIVATE=on). */
export interface Reach {
  readonly isPrivateAllowed: boolean;
  /** The resolver of the machine, but for tests. */
  readonly resolve?: Resolve;
}

/**
 * Refuses an address that could never be sent to. A name is checked at each connection, because its addresses change.
 */
export function requireUrl(text: string, { isPrivateAllowed }: Reach): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const schemes = schemesFor({ isPrivateAllowed });
  if (!url || !schemes.includes(url.protocol))
    throw wrong(`url must be an absolute address that begins with ${schemes.join('// or ')}//.`);
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw wrong('url must have neither a user name, nor a password, nor a part after "#".');
  const literal = addressIn(url);
  if (literal !== undefined && !isPrivateAllowed && !isPublicAddress(literal))
    throw wrong('url must lead to an address of the Internet; WEBHOOK_PRIVATE=on allows others.');
}

function schemesFor({ isPrivateAllowed }: Reach): string[] {
  return isPrivateAllowed ? ['https:', 'http:'] : ['https:'];
}

function wrong(message: string) {
  return invalid([{ field: 'url', rule: 'address', message }]);
}

/**
 * The `lookup` of a connection to the URL. Only the addresses that it returns are connected to, so an answer of DNS is
 * checked and used, and never asked for again. Fails with AddressNotAllowed where the URL has a private address itself,
 * because such a connection looks nothing up, and where the URL would be refused for its scheme today.
 */
export function lookupFor(url: URL, { isPrivateAllowed, resolve }: Reach): LookupFunction {
  if (!schemesFor({ isPrivateAllowed }).includes(url.protocol)) throw new AddressNotAllowed();
  const isAllowed = (address: string) => isPrivateAllowed || isPublicAddress(address);
  const literal = addressIn(url);
  if (literal !== undefined && !isAllowed(literal)) throw new AddressNotAllowed();
  const find = resolve ?? (isPrivateAllowed ? machineAddresses : internetAddresses);
  return (host, { all }, callback) => {
    find(host).then(
      (found) => {
        const allowed = found.filter(({ address }) => isAllowed(address));
        const [first] = allowed;
        if (!first) callback(new AddressNotAllowed(), '');
        else if (all) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

/** The address in a URL, whose parser has made the usual spelling of it (http://2130706433 is 127.0.0.1). */
function addressIn({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? undefined : bare;
}

/** By DNS only. The resolver of the machine has few threads, which one silent name server would hold. */
async function internetAddresses(host: string): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const of = (found: PromiseSettledResult<string[]>, family: 4 | 6) =>
    found.status === 'fulfilled' ? found.value.map((address) => ({ address, family })) : [];
  const addresses = [...of(four, 4), ...of(six, 6)];
  if (addresses.length === 0 && four.status === 'rejected') throw four.reason;
  return addresses;
}

/** As every program of the machine finds them, /etc/hosts included. */
function machineAddresses(host: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, found) => (error ? reject(error) : resolve(found)));
  });
}
