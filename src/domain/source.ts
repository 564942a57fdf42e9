import { isIP, isIPv4, isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An IPv6 address with the name of an interface has no length of its own. */
const ADDRESS_LENGTH = 64;

/** The address as it is kept: a proxy may pass on whatever a client claimed, and a text that is no address is not kept. */
export function addressOf(claimed: string): string {
  return isIP(claimed) === 0 ? 'unknown' : claimed.slice(0, ADDRESS_LENGTH);
}

/**
 * Who sends, as far as an address can tell: an IPv4 address stands for itself, and an IPv6 address for its /64,
 * since one customer commonly has all 2^64 addresses of it (RFC 6177). All texts that are no address are one
 * source, "unknown".
 */
export function sourceOf(address: string): string {
  const [plain = ''] = address.split('%');
  const mapped = MAPPED.exec(plain)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (isIPv4(plain)) return plain;
  return isIPv6(plain) ? `${network(plain)}::/64` : 'unknown';
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
