import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { TABLES } from '../../src/features.ts';
import { ownTables } from '../../src/store/own-tables.ts';

const ROOT = new URL('../../', import.meta.url);

/** Names of rooms, services and tables that are words of HTTP, of databases or of English too. */
const WORDS = [
  ...['accounts', 'addresses', 'changes', 'content', 'labels', 'limits', 'links', 'lists', 'live'],
  ...['idempotency', 'idempotency_keys', 'programs', 'search', 'system', 'users', 'versions'],
  // Of a server of PostgreSQL, of connections to it, and of SQLite's own function and its copies.
  ...['passwords', 'sessions', 'backups'],
];
/** Nouns of rooms that are the name of no room, service or table. */
const FURTHER = [
  'outbox',
  'personal token',
  'refresh token',
  'second factor',
  'username',
  'author',
  'category',
];

/** The code that serves all rooms, with its comments, and without the paths of other files. */
const FILES = globSync('src/{http,store}/**/*.ts', { cwd: ROOT }).map((file) => ({
  file,
  text: read(file)
    .replaceAll(/^(import|export|\}) .* from '.*;$/gm, '')
    .replaceAll(/\b[\w/.-]+\.(md|ts)\b/g, '')
    .replaceAll(/\bdraft-ietf-[\w-]+/g, ''),
}));

it('What serves all rooms names no room, no service and no table of theirs', () => {
  const nouns = [...folders('src'), ...folders('src/services'), ...tables()].filter(
    (name) => !WORDS.includes(name),
  );
  assert.ok(nouns.length > 50, 'The names are read.');
  assert.deepEqual([...new Set([...nouns, ...FURTHER])].flatMap(filesWith), []);
});

it('Each word that what serves all rooms may use is a name, and is used', () => {
  const names = [...folders('src'), ...folders('src/services'), ...tables()];
  assert.deepEqual(
    WORDS.filter((word) => !names.includes(word) || filesWith(word).length === 0),
    [],
  );
});

it('What serves all rooms names no operation and no path of a room', () => {
  const { paths } = JSON.parse(read('openapi.json')) as Record<string, Record<string, object>>;
  const ofRooms = Object.entries(paths ?? {}).filter(([path]) => path.startsWith('/api/'));
  const names = ofRooms.flatMap(([path, methods]) => [
    path,
    ...Object.values(methods).map(({ operationId }) => operationId),
  ]);
  assert.ok(names.length > 100, 'The document is read.');
  const written = FILES.flatMap(({ file, text }) =>
    (text.match(/[`'"]\/?[\w/{}]+[`'"]/g) ?? []).map((each) => [file, each.slice(1, -1)]),
  );
  assert.deepEqual(
    written.filter(([, word]) => names.includes(word)),
    [],
  );
});

it('Every statement that takes a lock by name gets its key from the store', () => {
  const makers = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) =>
    read(file).includes('hashtextextended'),
  );
  assert.deepEqual(makers, ['src/store/lock-key.ts']);
});

/** Files with the noun, in its singular or plural, as a word or a part of a name. */
function filesWith(noun: string): string[] {
  const singular = noun.replace(/(?<=[^s])s$/, '').replace(/ie$/, 'y');
  const either = [noun, singular].join('|').replaceAll(/[-_ ]/g, '[-_ ]?');
  const word = new RegExp(`(?<![a-z])(${either})s?(?![a-z])`);
  return FILES.filter(({ text }) =>
    word.test(text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()),
  ).map(({ file }) => `${file}: ${noun}`);
}

function tables(): string[] {
  return [...TABLES.carried, ...TABLES.derived].filter((table) => !ownTables.derived.includes(table));
}

/** The rooms, and the services, which are folders too. */
function folders(path: string): string[] {
  const [, base = ''] = /^const base = '([a-z|]+)';$/m.exec(read('.dependency-cruiser.mjs')) ?? [];
  return readdirSync(new URL(path, ROOT), { withFileTypes: true })
    .filter((each) => each.isDirectory() && !base.split('|').includes(each.name))
    .map(({ name }) => name);
}

function read(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}
