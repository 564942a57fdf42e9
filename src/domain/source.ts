import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An IPv6 address with a zone (the name of an interface) has no maximum length. */
const ADDRESS_LENGTH = 64;

/**
 * The address as it is stored. A proxy may pass on whatever a client claimed, so a text that is no address is dropped.
 */
export function addressOf(claimed: string): string {
  return isIP(claimed) === 0 ? 'unknown' : claimed.slice(0, ADDRESS_LENGTH);
}

/**
 * The sender, as far as an address shows it: an IPv4 address, or the /64 of an IPv6 address, because one customer
 * commonly has all 2^64 addresses of a /64 (RFC 6177). All texts that are no address are one source, "unknown".
 */
export function sourceOf(address: string): string {
  const [plain = ''] = address.split('%');
  const mapped = MAPPED.exec(plain)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (isIPv4(plain)) return plain;
  return isIPv6(plain) ? `${network(plain)}::/64` : 'unknown';
}

/** Addresses of this machine. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Is this name or address of a host that of the machine itself? */
export function isThisMachine(host: string): boolean {
  const version = isIP(host);
  return host === 'localhost' || (version > 0 && LOOPBACK.check(host, version === 6 ? 'ipv6' : 'ipv4'));
}

/** The first four groups of an IPv6 address, in the canonical spelling of RFC 5952. */
function network(address: string): string {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros: string[] = tail === undefined ? [] : Array(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
