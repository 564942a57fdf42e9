import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const FOLDER = new URL('../../docs/decisions/', import.meta.url);
const INDEX = 'README.md';
const ROW = /^\| (\[\d{4} .*\]\(.*\)) \| (.*) \|$/gm;
const STATUS = /^holds$|^superseded by \[(\d{4})\]\((\1-[\w-]+\.md)\)$/;

const rows = [...read(INDEX).matchAll(ROW)].map(([, record = '', status = '']) => ({ record, status }));

describe('The index of the decisions', () => {
  it('has every record once, in order, by the title that the record has', () => {
    const files = readdirSync(FOLDER).filter((file) => file !== INDEX);
    assert.deepEqual(
      rows.map(({ record }) => record),
      files.toSorted().map((file) => `[${titleOf(file)}](${file})`),
    );
  });

  it('says of each that it holds, or which record supersedes it', () => {
    for (const { record, status } of rows) {
      const [known, , successor = INDEX] = STATUS.exec(status) ?? [];
      assert.ok(known !== undefined && existsSync(new URL(successor, FOLDER)), `${record}: "${status}"`);
    }
  });
});

/** The first line of a record, which has its number too. */
function titleOf(file: string): string {
  const [, title = '', number] = /^# ((\d{4}) .+)\n/.exec(read(file)) ?? [];
  assert.equal(number, file.slice(0, 4), `${file} does not begin with "# ${file.slice(0, 4)} <title>"`);
  return title;
}

function read(file: string): string {
  return readFileSync(new URL(file, FOLDER), 'utf8');
}
