import { CONFUSABLES } from './confusables.ts';
import { foldKey } from './text.ts';

/** The characters that look like others, each with the text that stands for all of its kind. */
let prototypes: ReadonlyMap<string, string> | undefined;

/**
 * What a user name in NFC looks like, for comparing alone: two names that look the same have the same skeleton,
 * whatever the case of their letters. It is kept in the database, so the table of look-alikes comes with this version
 * (confusables.ts), and not from the runtime.
 */
export function skeletonOf(name: string): string {
  // The large I looks like l and is read as i, so the three are one. Folding makes new look-alikes: 0 looks like O.
  return asPrototypes(foldKey(asPrototypes(name))).replaceAll('i', 'l');
}

/** "skeleton" of https://www.unicode.org/reports/tr39/#Confusable_Detection, for text without invisible characters. */
function asPrototypes(text: string): string {
  prototypes ??= readConfusables();
  let skeleton = '';
  for (const character of text.normalize('NFD')) skeleton += prototypes.get(character) ?? character;
  return skeleton.normalize('NFD');
}

/** The format is that of scripts/confusables.ts. */
function readConfusables(): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  for (const line of CONFUSABLES.split('\n')) {
    const [prototype = '', distances = ''] = line.split(':');
    const text = String.fromCodePoint(...prototype.split(' ').map(number));
    let point = 0;
    for (const distance of distances.split(' ')) {
      point += number(distance);
      read.set(String.fromCodePoint(point), text);
    }
  }
  return read;
}

function number(digits: string): number {
  return Number.parseInt(digits, 36);
}
