import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';

const FOLDER = new URL('../../docs/decisions/', import.meta.url);
const INDEX = 'README.md';

it('The index of the decisions has every record once, in order, with its title and its status', () => {
  const listed = read(INDEX)
    .split('\n')
    .filter((line) => line.startsWith('| ['));
  const records = readdirSync(FOLDER).filter((file) => file !== INDEX);
  assert.deepEqual(
    listed,
    records.toSorted().map((file) => `| [${titleOf(file)}](${file}) | ${statusOf(file)} |`),
  );
});

/** The first line of a record, which begins with the number that its file has. */
function titleOf(file: string): string {
  const [, title = ''] = /^# (\d{4} .+)\n/.exec(read(file)) ?? [];
  const number = file.slice(0, 4);
  assert.equal(title.slice(0, 4), number, `the first line of ${file} is not "# ${number} <title>"`);
  return title;
}

function statusOf(file: string): string {
  const found = /^Superseded((?: in part)? by \[\d{4}\]\((.+?)\))/m.exec(read(file));
  if (!found) return 'holds';
  const [, by = '', successor = ''] = found;
  assert.ok(
    existsSync(new URL(successor, FOLDER)),
    `${file} is superseded by ${successor}, which is not there`,
  );
  return `superseded${by}`;
}

function read(file: string): string {
  return readFileSync(new URL(file, FOLDER), 'utf8');
}
