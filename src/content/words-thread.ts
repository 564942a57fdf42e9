import { workerData } from 'node:worker_threads';
import { wordsOf } from '../domain/words.ts';
import type { Texts, WordsAnswer, WordsRequest, WordsStart } from './words-beside.ts';

const { port } = workerData as WordsStart;

/** No word, so the end of a title and the beginning of its content are not in a row. */
const BETWEEN = '|';

port.on('message', ({ number, items }: WordsRequest) => {
  const answer: WordsAnswer = { number, words: items.map(wordsOfItem) };
  port.postMessage(answer);
});

function wordsOfItem({ title, content }: Texts): string {
  return [...wordsOf(title), BETWEEN, ...wordsOf(content)].join(' ');
}
