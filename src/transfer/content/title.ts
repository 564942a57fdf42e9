/** Code points of a title. */
const MOST = 200;
/** Lines of a text that are looked through for a heading. */
const LINES = 200;

/** The title of a text that has none: its first heading, else the name of its file. */
export function titleOf(text: string, fileName: string): string {
  const lines = text.slice(0, 64 * 1024).split('\n', LINES);
  const heading = lines.find((line) => /^#[ \t]+\S/.test(line)) ?? '';
  // Twice as long as a title, because the regular expression is slow with very many "#".
  const title = heading
    .slice(1)
    .trim()
    .slice(0, 2 * MOST)
    .replace(/#+$/, '')
    .trim();
  return cut(title) || cut(fileName.replace(/\.[^.]*$/, '')) || 'Untitled';
}

/** The first characters, without a half of one at the end. */
function cut(title: string): string {
  return [...title].slice(0, MOST).join('').toWellFormed();
}

/** Characters of the title in the name of a file. */
const SLUG = 60;

/**
 * The name of an exported file: some of the title, and the id, which makes it unique. Only letters, digits and hyphens of
 * ASCII, so that every system takes it, and none takes two names for one.
 */
export function fileNameOf(title: string, id: number): string {
  const slug = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG)
    .replace(/^-|-$/g, '');
  return `${slug || 'item'}-${id}.md`;
}
