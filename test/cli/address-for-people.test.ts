import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addressForPeople } from '../../src/cli/address-for-people.ts';
import { readConfig } from '../../src/config.ts';

it('The printed address is localhost on the own machine, where IP addresses have no passkeys, or else the given one', () => {
  const printed = (settings: Record<string, string>) => addressForPeople(readConfig(settings), 8080);
  for (const HOST of ['127.0.0.1', '127.8.0.1', '0.0.0.0', '::', '::1'])
    assert.equal(printed({ HOST }), 'http://localhost:8080', HOST);
  for (const HOST of ['192.0.2.7', '10.0.0.0', 'stoa.test'])
    assert.equal(printed({ HOST }), `http://${HOST}:8080`, HOST);
  assert.equal(printed({ HOST: '2001:db8::1' }), 'http://[2001:db8::1]:8080');
  assert.equal(printed({ PUBLIC_URL: 'https://stoa.example/app' }), 'https://stoa.example/app');
});
