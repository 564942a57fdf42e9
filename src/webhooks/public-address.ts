import { BlockList, isIP } from 'node:net';

/** The addresses of IPv4 that are not the Internet's (IANA, special-purpose registry). */
const PRIVATE_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** All that the Internet has of IPv6. So mapped IPv4, NAT64, link-local and unique local addresses are outside. */
const GLOBAL_IPV6 = '2000::/3';
/** In there: Teredo and other protocols, documentation, and 6to4, which carries an address of IPv4. */
const PRIVATE_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const privateOnes = listOf([...PRIVATE_IPV4, ...PRIVATE_IPV6]);
const globalOnes = listOf([GLOBAL_IPV6]);

/** True for an address of the Internet, in the usual spelling. False for every other text. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !privateOnes.check(address, 'ipv4');
  return version === 6 && globalOnes.check(address, 'ipv6') && !privateOnes.check(address, 'ipv6');
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', bits] = range.split('/');
    // `isIP` compiles a regular expression for 10 ms, and each start and command loads this.
    list.addSubnet(net, Number(bits), net.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}
