import { readFileSync } from 'node:fs';
import { foldKey } from './text.ts';

const TABLE = new URL('./confusables.json', import.meta.url);

/** Each look-alike character with the text that represents all that look like it. */
let prototypes: ReadonlyMap<string, string> | undefined;

/**
 * What a user name in NFC looks like, for comparisons only. Two names that look the same have the same skeleton,
 * whatever the case of their letters. The database stores skeletons, so the table of look-alikes is part of this
 * version (confusables.json) and not of the runtime.
 */
export function skeletonOf(name: string): string {
  // The large I looks like l and is read as i, so the three are one. Folding makes new look-alikes, such as 0 and O.
  return asPrototypes(foldKey(asPrototypes(name))).replaceAll('i', 'l');
}

/** "skeleton" of https://www.unicode.org/reports/tr39/#Confusable_Detection, for text without invisible characters. */
function asPrototypes(text: string): string {
  prototypes ??= readConfusables();
  let skeleton = '';
  for (const character of text.normalize('NFD')) skeleton += prototypes.get(character) ?? character;
  return skeleton.normalize('NFD');
}

/** scripts/confusables.ts writes the table. It is not imported, because most services never read a name beyond ASCII. */
function readConfusables(): ReadonlyMap<string, string> {
  const table: Record<string, string> = JSON.parse(readFileSync(TABLE, 'utf8'));
  const read = new Map<string, string>();
  for (const [prototype, lookAlikes] of Object.entries(table))
    for (const character of lookAlikes) read.set(character, prototype);
  return read;
}
