import type { Term } from '../../src/domain/words.ts';

/** Do the words of a text have the term, by looking at each place of the text? */
export function standsIn(words: readonly string[], term: Term): boolean {
  const last = term.words.length - 1;
  return words.some((_, start) =>
    term.words.every((wanted, at) => {
      const word = words[start + at] ?? '';
      return at === last && term.isPrefix ? word.startsWith(wanted) : word === wanted;
    }),
  );
}
