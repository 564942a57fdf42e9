import { Type } from 'typebox';

/**
 * A text of an answer: one of these words, or one of a later version (docs/compatibility.md). Clients of most generators
 * refuse an answer with a word that an `enum` lacks. So the document names the words in the description, and in an
 * extension for `scripts/client-types.ts` and the tests, which take it as an `enum`.
 */
export function OpenEnum<Word extends string>(words: readonly Word[], description: string) {
  const known = words.map((word) => `\`${word}\``).join(', ');
  return Type.Unsafe<Word>({
    type: 'string',
    'x-extensible-enum': [...words],
    description: `${description} Known in this version: ${known}. Later versions may add others.`,
  });
}
