import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { takesBulk } from '../../src/bulk/contract.ts';
import { readConfig } from '../../src/config.ts';
import { ADMISSION } from '../../src/domain/admission/figures.ts';
import { LIMITS } from '../../src/http/limits.ts';
import { instructionsOf } from '../support/containerfile.ts';
import { knownSettings } from '../support/known-settings.ts';
import { SEALING_KEY } from '../support/sealing.ts';

const EXAMPLES = new URL('../../docs/examples/', import.meta.url);
const FOLDER = new URL('compose/', EXAMPLES);
const UNIT = readFileSync(new URL('stoa@.service', EXAMPLES), 'utf8');
const TEXT = readFileSync(new URL('compose.yaml', FOLDER), 'utf8');
/** What an operator writes into .env. */
const SECRETS: Record<string, string> = {
  POSTGRES_PASSWORD: '0123456789abcdef',
  SEALING_KEY,
  PUBLIC_URL: 'https://accounts.example.org',
};
const FILE = parse(
  TEXT.replaceAll(/\$\{(\w+):\?\}/g, (_all, name: string) => SECRETS[name] ?? ''),
  { merge: true },
);
const IMAGE = instructionsOf(new URL('../../Containerfile', import.meta.url).pathname);

it('Each setting of the compose file is one that the service reads, with a value that it takes', () => {
  const { 'stoa-1': first, 'stoa-2': second } = FILE.services;
  assert.deepEqual(first.environment, second.environment);
  const names = Object.keys(first.environment);
  assert.deepEqual(
    names.filter((name) => !knownSettings().has(name)),
    [],
  );
  const config = readConfig(first.environment);
  assert.equal(config.database.kind, 'postgres');
  assert.deepEqual(config.trustProxy, [addressOf('nginx')]);
  assert.ok(first.environment.DATABASE_URL.includes(`@${addressOf('postgres')}:`));
  assert.ok(config.backupEvery !== undefined);
});

it('Each value that the compose file takes from .env is in the sample of that file', () => {
  const sample = readFileSync(new URL('example.env', FOLDER), 'utf8');
  const named = [...sample.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
  const taken = new Set([...TEXT.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
  assert.deepEqual([...taken].toSorted(), named.toSorted());
  assert.deepEqual(named.toSorted(), Object.keys(SECRETS).toSorted());
});

it('The instances of the compose file write to the volume of the image only, and may do no more than it needs', () => {
  const volume = IMAGE.find(({ name }) => name === 'VOLUME')?.rest;
  for (const name of ['stoa-1', 'stoa-2']) {
    const { read_only, cap_drop, volumes, user } = FILE.services[name];
    assert.deepEqual([read_only, cap_drop, user], [true, ['ALL'], undefined]);
    assert.deepEqual(volumes, [`data:${volume}`]);
  }
  const mounted: string[] = Object.values<{ volumes: string[] }>(FILE.services).flatMap(
    (each) => each.volumes,
  );
  const sources = mounted.map((each) => each.split(':')[0] ?? '');
  for (const source of sources)
    if (source.startsWith('./')) assert.ok(source === './tls' || existsSync(new URL(source, FOLDER)), source);
    else assert.ok(source in FILE.volumes, source);
});

it('The instances of the compose file start when PostgreSQL answers where they ask it', () => {
  // At its first start the image runs a server on the socket only, and stops it again.
  const [, program, host] = FILE.services.postgres.healthcheck.test;
  assert.deepEqual([program, host], ['pg_isready', '--host=127.0.0.1']);
  assert.deepEqual(FILE.services['stoa-1'].depends_on, { postgres: { condition: 'service_healthy' } });
});

it('The nginx of the compose file is the sample of nginx with the addresses of that file', () => {
  const port = IMAGE.find(({ name }) => name === 'EXPOSE')?.rest;
  const others: [string, string][] = [
    ['pid nginx.pid;', 'pid /run/nginx.pid;'],
    ['error_log nginx-error.log', 'error_log /dev/stderr'],
    ['access_log nginx-access.log', 'access_log /dev/stdout'],
    ['server 127.0.0.1:8081', `server ${addressOf('stoa-1')}:${port}`],
    ['server 127.0.0.1:8082', `server ${addressOf('stoa-2')}:${port}`],
    ['listen 127.0.0.1:8443', 'listen 8443'],
  ];
  let expected = directivesOf(new URL('nginx.conf', EXAMPLES));
  for (const [sample, own] of others) {
    assert.ok(expected.includes(sample), sample);
    expected = expected.replace(sample, own);
  }
  assert.equal(directivesOf(new URL('nginx.conf', FOLDER)), expected);
  assert.deepEqual(FILE.services.nginx.ports, ['443:8443']);
});

it('The sample of nginx lets every body through that Stoa takes, and every one that Stoa reads to its end', () => {
  const [, mebibytes] =
    /client_max_body_size (\d+)m;/.exec(directivesOf(new URL('nginx.conf', EXAMPLES))) ?? [];
  const most = Number(mebibytes) * 1024 * 1024;
  assert.equal(most, LIMITS.discardedBody);
  assert.ok(most > takesBulk.bodyLimit, 'that of the route with the largest body');
});

it('The sample of nginx waits for an answer longer than a large write waits for its turn and takes then', () => {
  const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(directivesOf(new URL('nginx.conf', EXAMPLES))) ?? [];
  const { writes, transactions } = ADMISSION;
  assert.ok(Number(seconds) * 1_000 > writes.patience + transactions.patience + 20_000);
});

it('The systemd unit starts Stoa with the options of `npm start`', () => {
  const [, started] = /^ExecStart=\/opt\/stoa\/node_modules\/\.bin\/(.*)$/m.exec(UNIT) ?? [];
  assert.equal(`exec ${started?.replace('/opt/stoa/', '')}`, manifest.scripts.start);
});

it('The settings of the systemd unit are read alike by systemd, Node.js and a shell, and let Stoa write where the unit does', () => {
  const text = readFileSync(new URL('stoa.env', EXAMPLES), 'utf8');
  // Anything else means something to a shell where it is not in quotes.
  const plain = /^[A-Z_]+=("[^"$`\\]*"|[\w@%+=:,./?-]*)$/;
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.deepEqual(
    lines.filter((line) => !plain.test(line)),
    [],
  );
  const settings = parseEnv(text);
  assert.deepEqual(
    Object.keys(settings).filter((name) => !knownSettings().has(name)),
    [],
  );
  const { dataDir, backupDir } = readConfig({ ...settings, SEALING_KEY });
  assert.equal(dataDir, `/var/lib/${/^StateDirectory=(.*)$/m.exec(UNIT)?.[1]}`);
  assert.ok(backupDir.startsWith(`${dataDir}/`));
});

it('The page on installing names the files of the compose example', () => {
  const page = readFileSync(new URL('../../docs/installing.md', import.meta.url), 'utf8');
  for (const name of ['examples/compose', 'example.env', 'compose.yaml', 'tls/stoa.crt'])
    assert.ok(page.includes(name), name);
});

function addressOf(service: string): string {
  return FILE.services[service].networks.inside.ipv4_address;
}

/** The file without its comments. */
function directivesOf(file: URL): string {
  return readFileSync(file, 'utf8')
    .replaceAll(/\s*#.*$/gm, '')
    .trim();
}
