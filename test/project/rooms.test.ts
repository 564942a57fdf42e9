import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';

const ROOT = new URL('../../', import.meta.url);
const SRC = new URL('src/', ROOT);
/** More than anyone reads to know a room. What does not fit belongs to another room, or is one. */
const MOST_LINES = 3_000;

it('No room has more than 3,000 lines', () => {
  const sizes = rooms().map((room) => [room, linesIn(room)] as const);
  assert.ok(sizes.length > 20 && sizes.every(([, lines]) => lines > 0), 'The rooms are read.');
  assert.deepEqual(
    sizes.filter(([, lines]) => lines > MOST_LINES),
    [],
  );
});

/** The folders of `src` that are not the base, which .dependency-cruiser.mjs names. */
function rooms(): string[] {
  const [, base] = /^const base = '([a-z|]+)';$/m.exec(read('.dependency-cruiser.mjs')) ?? [];
  assert.ok(base, '.dependency-cruiser.mjs names the base.');
  return readdirSync(SRC, { withFileTypes: true })
    .filter((each) => each.isDirectory() && !base.split('|').includes(each.name))
    .map(({ name }) => name);
}

function linesIn(room: string): number {
  const files = readdirSync(new URL(room, SRC), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .reduce((sum, file) => sum + (read(`src/${room}/${file}`).match(/\n/g) ?? []).length, 0);
}

function read(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}
