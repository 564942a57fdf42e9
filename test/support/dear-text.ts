import { setTimeout as pause } from 'node:timers/promises';
import { type Account, call, newItem } from './client.ts';
import { stopwatch } from './stopwatch.ts';

/** Marks of each of two kinds, half a mebibyte in all. To sort them one by one takes a minute. */
const MARKS = 128 * 1024;
/** Far more than any request takes beside others, without the time that other work takes (`stopwatch`). */
const PATIENCE_MS = 10_000;
const LOOK_MS = 500;

/** A text that is expensive to normalise: a word to find the text by, and many marks in the wrong order. */
export function dearText(word: string): string {
  return `${word} a${'\u0301'.repeat(MARKS)}${'\u0316'.repeat(MARKS)}`;
}

/** Markdown of a mebibyte that takes long, each in its own way. */
export const DEAR_MARKDOWN: readonly string[] = [
  '*a **b _c '.repeat(100_000),
  `${'> - '.repeat(250_000)}x`,
  `[a]: /${'x'.repeat(1_000)}\n\n${'[a] '.repeat(250_000)}`,
  '[a](<b>'.repeat(140_000),
  `${'|a'.repeat(4_000)}|\n${'|-'.repeat(4_000)}|\n${'|b|c|\n'.repeat(100_000)}`,
  '<div><a href="x">'.repeat(60_000),
];

/** The same below the length from which a text waits among long ones: a table of wide lines that have two cells. */
export const SHORT_DEAR_MARKDOWN = `${'|a'.repeat(150)}|\n${'|-'.repeat(150)}|\n${'|b|c|\n'.repeat(10_000)}`;

/** Lets somebody write, read and search all the time until the work is done; each request must be answered in time. */
export async function whileOthersAreAnswered(
  url: string,
  somebody: Account,
  work: () => Promise<void>,
): Promise<void> {
  let isWorking = true;
  const others = async () => {
    while (isWorking) await writeReadAndSearch(url, somebody);
  };
  const done = work().finally(() => {
    isWorking = false;
  });
  await Promise.all([done, others()]);
}

async function writeReadAndSearch(url: string, { token }: Account): Promise<void> {
  const { id } = await inTime(newItem(url, token, { content: 'hazelnut' }));
  for (const path of [`/api/content/${id}`, '/api/content?keyword=hazelnut&per_page=1']) {
    // One search: without `lagging` it would be asked again until it lacks nothing.
    const { status } = await inTime(call(url, 'GET', path, { lagging: true }));
    if (status !== 200) throw new Error(`GET ${path} was answered with ${status}.`);
  }
}

async function inTime<Output>(work: Promise<Output>): Promise<Output> {
  const [stop, elapsed] = [new AbortController(), stopwatch()];
  const late = async (): Promise<never> => {
    while (elapsed() < PATIENCE_MS) await pause(LOOK_MS, undefined, { signal: stop.signal });
    throw new Error(`Somebody else waited more than ${PATIENCE_MS / 1000} seconds for an answer.`);
  };
  return Promise.race([work, late()]).finally(() => stop.abort());
}
