import { parentPort } from 'node:worker_threads';
import { wordsOf } from '../domain/words.ts';
import type { Texts } from './words-beside.ts';

/** No word, so the end of a title and the beginning of its content are not in a row. */
const BETWEEN = '|';

parentPort?.on('message', (items: readonly Texts[]) => parentPort?.postMessage(items.map(wordsOfItem)));

function wordsOfItem({ title, content }: Texts): string {
  return [...wordsOf(title), BETWEEN, ...wordsOf(content)].join(' ');
}
