import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sourceOf } from '../../src/domain/source.ts';

describe('Sources of requests', { concurrency: true }, () => {
  const sameSource = (what: string, addresses: readonly string[], source: string) =>
    it(`The source of a request ${what}`, () =>
      assert.deepEqual(addresses.map(sourceOf), Array(addresses.length).fill(source)));

  sameSource(
    'is an IPv4 address, in either notation',
    ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:192.0.2.7'],
    '192.0.2.7',
  );
  sameSource(
    'is the /64 of an IPv6 address, in any spelling',
    ['2001:db8:0:7::1', '2001:0DB8:0000:0007:ffff:1:2:3', '2001:db8:0:7:0:0:0:0', '2001:db8:0:7::%eth0'],
    '2001:db8:0:7::/64',
  );
  sameSource('has zeros where an address leaves them out', ['::1', '0:0:0:0::2'], '0:0:0:0::/64');
  sameSource(
    'is one for all that is no address',
    ['', 'localhost', '300.1.1.1', '::ffff:300.1.1.1', 'a:b'],
    'unknown',
  );

  it('The sources of two neighbours differ', () => {
    const neighbours = [
      '192.0.2.7',
      '192.0.2.8',
      '2001:db8::1',
      '2001:db8:0:1::1',
      '2001:db8:1::1',
      'fe80::1',
    ];
    assert.equal(new Set(neighbours.map(sourceOf)).size, neighbours.length);
  });
});
