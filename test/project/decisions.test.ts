import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };

const ROOT = new URL('../../', import.meta.url);
const FOLDER = 'docs/decisions/';
const INDEX = 'README.md';
const MOST_WORDS = 12_000;

it('The index of the decisions lists every chapter once, by its title', () => {
  const listed = [...read(FOLDER + INDEX).matchAll(/^\| (\[.+?\]\(.+?\)) \|/gm)].map(([, link]) => link);
  const links = chapters().map((file) => `[${titleOf(file)}](${file})`);
  assert.deepEqual(listed.toSorted(), links.toSorted());
});

it('Every link to a page leads to a file and to a section that exist', () => {
  const links = pages().flatMap((page) =>
    [...read(page).matchAll(/\]\(((?!\w+:)[^()\s]*\.md)?(#[\w-]+)?\)/g)].map(([link, file, section]) => {
      const target = file === undefined ? page : pathFrom(page, file);
      return isThere(target, section) ? undefined : `${page}: ${link}`;
    }),
  );
  assert.deepEqual(links.filter(Boolean), []);
});

it('Every mention of a decision names a chapter and a section that exist', () => {
  const mentions = [...pages(), ...sources()].flatMap((file) =>
    [...read(file).matchAll(MENTION)].map(([mention, chapter, section]) =>
      chapter && isThere(FOLDER + chapter, section) ? undefined : `${file}: ${mention}`,
    ),
  );
  assert.deepEqual(mentions.filter(Boolean), []);
});

it('Every source file that a page names by its path exists', () => {
  const named = pages().flatMap((page) =>
    [...read(page).matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.ts)`/g)].map(([, path = '']) =>
      ['', 'src/'].some((folder) => existsSync(new URL(folder + path, ROOT)))
        ? undefined
        : `${page}: ${path}`,
    ),
  );
  assert.deepEqual(named.filter(Boolean), []);
});

it('The chapters of the decisions have at most 12,000 words together', () => {
  const words = chapters().map((file) => (read(FOLDER + file).match(/\S+/g) ?? []).length);
  const sum = words.reduce((total, count) => total + count, 0);
  assert.ok(sum <= MOST_WORDS, `they have ${sum}; shorten them`);
});

it('The page for operators has at most 5,000 words', () => {
  const words = read('docs/operations.md').match(/\S+/g) ?? [];
  assert.ok(words.length <= 5_000, `it has ${words.length}; shorten it`);
});

it('The decision on libraries counts those of the service, and names each or its scope', () => {
  const [section] = /^## Few libraries.*?(?=^## )/ms.exec(read(`${FOLDER}running.md`)) ?? [];
  assert.ok(section, 'The section is there.');
  const named = new Set([...section.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  const libraries = Object.keys(manifest.dependencies);
  assert.deepEqual(
    libraries.filter((name) => !named.has(name) && !named.has(`${name.split('/')[0]}/...`)),
    [],
  );
  assert.match(section, new RegExp(`^There are ${libraries.length} at run time`, 'm'));
});

/** The path of a chapter, or the number that decisions had before they were chapters. */
const MENTION = /\bdocs\/decisions\/([a-z0-9-]+\.md)(#[\w-]+)?|\bdecisions?\s+(?:\*\s+)?0\d{3}\b/gi;

function chapters(): string[] {
  return readdirSync(new URL(FOLDER, ROOT)).filter((file) => file !== INDEX);
}

/** The text of a chapter's first heading. */
function titleOf(file: string): string {
  const [, title] = /^# (.+)\n/.exec(read(FOLDER + file)) ?? [];
  assert.ok(title, `${file} does not begin with "# <title>"`);
  return title;
}

function pages(): string[] {
  const files = readdirSync(new URL('docs/', ROOT), { recursive: true, encoding: 'utf8' });
  const inDocs = files.filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`);
  return ['README.md', 'CONTRIBUTING.md', ...inDocs];
}

function sources(): string[] {
  return ['src/', 'test/', 'bench/', 'scripts/'].flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => folder + file),
  );
}

/** Does the file exist and have a heading that GitHub links to by this name? */
function isThere(path: string, section: string | undefined): boolean {
  if (!existsSync(new URL(path, ROOT))) return false;
  if (section === undefined) return true;
  return [...read(path).matchAll(/^#+ (.+)$/gm)].some(
    ([, heading = '']) => section === `#${slugOf(heading)}`,
  );
}

function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function pathFrom(page: string, link: string): string {
  return new URL(link, new URL(page, ROOT)).href.slice(ROOT.href.length);
}

function read(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}
