import { globSync, readFileSync, writeFileSync } from 'node:fs';

// Writes the table "From a URL to its files" of docs/architecture.md again, from openapi.json and the sources. A file
// that has a row keeps its place, and a new file is at the end. A row with a remark in parentheses stays as it is.

const ROOT = new URL('../', import.meta.url);
const PAGE = new URL('docs/architecture.md', ROOT);
const HEAD = '| Request | Route |\n| --- | --- |\n';

const sources = globSync('**/*.ts', { cwd: new URL('src/', ROOT) }).map(
  (file) => [file, read(`src/${file}`)] as const,
);

/** The link of another answer names an operation too, but has neither tags nor a summary. */
function fileOf(id: string): string {
  const naming = sources.filter(([, source]) => source.includes(`operationId: '${id}'`));
  const [file] =
    naming.find(([, source]) => new RegExp(`operationId: '${id}',\\s+(tags|summary):`).test(source)) ??
    naming[0] ??
    [];
  if (file === undefined) throw new Error(`No file has the operation ${id}.`);
  return file;
}

const page = read('docs/architecture.md');
const from = page.indexOf(HEAD) + HEAD.length;
const to = page.indexOf('\n\n', from);
const rows = new Map<string, string[]>();
for (const row of page.slice(from, to).split('\n')) {
  const [, requests = '', file = ''] = row.split('|').map((cell) => cell.trim());
  rows.set(file, requests.includes('(') ? [requests] : []);
}

const { paths } = JSON.parse(read('openapi.json'));
for (const [path, methods] of Object.entries<Record<string, { operationId?: string }>>(paths))
  for (const [method, { operationId }] of Object.entries(methods)) {
    const file = `\`${fileOf(`${operationId}`)}\``;
    rows.set(file, [...(rows.get(file) ?? []), `\`${method.toUpperCase()} ${path}\``]);
  }

const lines = [...rows].filter(([, requests]) => requests.length > 0);
const table = lines.map(([file, requests]) => `| ${requests.join(', ')} | ${file} |`).join('\n');
writeFileSync(PAGE, page.slice(0, from) + table + page.slice(to));

function read(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}
