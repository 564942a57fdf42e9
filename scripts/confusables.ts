import { readFileSync } from 'node:fs';

/**
 * Prints src/domain/confusables.json: Unicode's confusables.txt, version 13, from the package unhomoglyph. Each key is
 * a prototype, and its value has the characters that look like it. `npm run confusables` writes the file. The database
 * stores skeletons made with this table, so a change of the table needs a step of the schema that makes all skeletons
 * again (docs/decisions/names-and-text.md).
 */
const FILE = new URL('../node_modules/unhomoglyph/data.json', import.meta.url);

const table = new Map<string, string>();
for (const [source, prototype] of Object.entries(JSON.parse(readFileSync(FILE, 'utf8'))))
  table.set(String(prototype), (table.get(String(prototype)) ?? '') + source);
const sorted = [...table].toSorted(([a], [b]) => (a < b ? -1 : 1));
process.stdout.write(`${JSON.stringify(Object.fromEntries(sorted), undefined, 1)}\n`);
