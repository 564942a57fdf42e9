import { setTimeout as pause } from 'node:timers/promises';
import { type Account, call, newItem } from './client.ts';

/** Marks of each of two kinds, half a mebibyte in all. To sort them one by one takes a minute. */
const MARKS = 128 * 1024;
/** Far more than any request takes beside others, on any machine. */
const PATIENCE_MS = 10_000;

/** A text that is expensive to normalise: a word to find the text by, and many marks in the wrong order. */
export function dearText(word: string): string {
  return `${word} a${'\u0301'.repeat(MARKS)}${'\u0316'.repeat(MARKS)}`;
}

/** Lets somebody write, read and search all the time until the work is done; each must be answered in time. */
export async function whileOthersAreAnswered(
  url: string,
  somebody: Account,
  work: () => Promise<void>,
): Promise<void> {
  let isWorking = true;
  const others = async () => {
    while (isWorking) await inTime(writeReadAndSearch(url, somebody));
  };
  const done = work().finally(() => {
    isWorking = false;
  });
  await Promise.all([done, others()]);
}

async function writeReadAndSearch(url: string, { token }: Account): Promise<void> {
  const { id } = await newItem(url, token, { content: 'hazelnut' });
  for (const path of [`/api/content/${id}`, '/api/content?keyword=hazelnut&per_page=1']) {
    const { status } = await call(url, 'GET', path);
    if (status !== 200) throw new Error(`GET ${path} was answered with ${status}.`);
  }
}

async function inTime(work: Promise<void>): Promise<void> {
  const stop = new AbortController();
  const late = pause(PATIENCE_MS, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`Somebody else waited more than ${PATIENCE_MS / 1000} seconds for an answer.`);
  });
  await Promise.race([work, late]).finally(() => stop.abort());
}
