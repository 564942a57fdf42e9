import { readFileSync } from 'node:fs';

/**
 * Prints src/domain/confusables.ts: Unicode's confusables.txt, as the package unhomoglyph has it, in a sixth of the
 * space. `npm run confusables` writes the file. The database keeps what was computed with the table, so a change to
 * it needs a step of the schema that computes all skeletons anew (decisions 0045).
 */
const FILE = new URL('../node_modules/unhomoglyph/data.json', import.meta.url);

/** For each prototype, in the order of code points, the code points that look like it. */
function readTable(): Map<string, number[]> {
  const table = new Map<string, number[]>();
  for (const [source, prototype] of Object.entries(JSON.parse(readFileSync(FILE, 'utf8')))) {
    const sources = table.get(String(prototype)) ?? [];
    table.set(String(prototype), [...sources, pointsOf(source)[0] ?? 0]);
  }
  return table;
}

function lineOf([prototype, sources]: [string, number[]]): string {
  const inOrder = sources.toSorted((a, b) => a - b);
  const distances = inOrder.map((point, index) => point - (inOrder[index - 1] ?? 0));
  return `${pointsOf(prototype).map(digits).join(' ')}:${distances.map(digits).join(' ')}`;
}

function pointsOf(text: string): number[] {
  return [...text].map((character) => character.codePointAt(0) ?? 0);
}

function digits(number: number): string {
  return number.toString(36);
}

const lines = [...readTable()].map(lineOf).toSorted();
process.stdout.write(`/**
 * Characters that look like others: Unicode's confusables.txt, version 13. scripts/confusables.ts wrote it. A line is
 * "<code points of the prototype>:<code points that look like it>" in base 36, of the latter each as its distance
 * from the one before.
 */
export const CONFUSABLES = \`${lines.join('\n')}\`;
`);
