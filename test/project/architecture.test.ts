import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { it } from 'node:test';
import { TABLES } from '../../src/features.ts';

const ROOT = new URL('../../', import.meta.url);
const PAGE = readFileSync(new URL('docs/architecture.md', ROOT), 'utf8');
/** Cells of the rows of all tables on the page. */
const ROWS = PAGE.split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()));

it('The architecture page leads from each request to the file of its route', () => {
  const { paths } = JSON.parse(readFileSync(new URL('openapi.json', ROOT), 'utf8'));
  const lost: string[] = [];
  for (const [path, methods] of Object.entries<Record<string, { operationId?: string }>>(paths))
    for (const [method, { operationId }] of Object.entries(methods)) {
      const request = `\`${method.toUpperCase()} ${path}\``;
      const [, , cell = ''] = ROWS.find(([, requests = '']) => requests.split(', ').includes(request)) ?? [];
      if (!isRouteOf(cell.replaceAll('`', ''), operationId ?? '')) lost.push(request);
    }
  assert.deepEqual(lost, []);
});

function isRouteOf(file: string, operationId: string): boolean {
  return (
    file !== '' &&
    readFileSync(new URL(`src/${file}`, ROOT), 'utf8').includes(`operationId: '${operationId}'`)
  );
}

it('The architecture page names every table once and no other, and first those that a move copies', () => {
  const section = PAGE.slice(PAGE.indexOf('## Tables'));
  const named = [...section.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name);
  const [firstLeft] = /(?<=`)[a-z_]+(?=` on:)/.exec(section) ?? [];
  const left = named.indexOf(firstLeft);
  assert.deepEqual(named.slice(0, left).toSorted(), TABLES.carried.toSorted());
  assert.deepEqual(named.slice(left).toSorted(), TABLES.derived.toSorted());
});

it('The architecture page names every thread once and no other', () => {
  const section = PAGE.slice(PAGE.indexOf('## Threads'), PAGE.indexOf('## Processes'));
  const named = [...section.matchAll(/^\| ([a-z]+)/gm)].map(([, name]) => `${name}`);
  const files = globSync('src/**/*-thread.ts', { cwd: ROOT }).map((file) => basename(file, '-thread.ts'));
  assert.deepEqual(named.toSorted(), ['main', ...files].toSorted());
});
