import type { Term } from '../../src/domain/words.ts';

/** Does the term stand at some place among the words of a text? Looks at each place, without an index. */
export function standsIn(words: readonly string[], term: Term): boolean {
  const last = term.words.length - 1;
  return words.some((_, start) =>
    term.words.every((wanted, at) => {
      const word = words[start + at] ?? '';
      return at === last && term.isPrefix ? word.startsWith(wanted) : word === wanted;
    }),
  );
}
