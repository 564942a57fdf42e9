import { sentence, vocabulary } from './items.ts';
import { seededRandom, zipfPicker } from './random.ts';

/** Characters of a new text, all of them ASCII: a kilobyte of some 110 different words. */
const LENGTH = 1_024;
const WORDS = 50_000;

/** A placeholder for a new text in the body of a request. It has the same length, so Content-Length is right. */
export const NEW_TEXT = '{new text}'.padEnd(LENGTH, '.');

export interface NewText {
  readonly text: string;
  /** No other text has this word. */
  readonly ownWord: string;
}

/** Texts that all differ, in this process and in others. */
export function* newTexts(): Generator<NewText> {
  const random = seededRandom(process.pid);
  const word = zipfPicker(wordsOfTexts(), random);
  for (let index = 0; ; index++) {
    const ownWord = `own${process.pid.toString(36)}z${index.toString(36)}z`;
    yield { text: `${ownWord} ${sentence(word, LENGTH - ownWord.length - 1)}`, ownWord };
  }
}

/** The words of the texts, from common to rare. The items of the datasets use the first of them. */
export function wordsOfTexts(): string[] {
  return vocabulary(seededRandom(7), WORDS);
}
