import { run } from 'node:test';
import type { TestEvent } from 'node:test/reporters';

export interface Run {
  readonly files: readonly string[];
  /** How many files run at a time, each in a process of its own. */
  readonly concurrency: number;
  /** Milliseconds that one test may take. */
  readonly timeout: number;
  /** Settings and options of Node.js for the processes of the files. */
  readonly env?: Record<string, string>;
  readonly execArgv?: readonly string[];
  /** Ends the run when it is aborted. */
  readonly signal: AbortSignal;
  /** Hears of a file whose process neither goes on nor ends; the run is given up. */
  readonly onStuck: (file: string) => void;
}

/** Each process finds here what another has made of the same modules, in half the time. */
const COMPILED = new URL('../../node_modules/.cache/stoa/compiled', import.meta.url).pathname;

/** The events of the runner of Node.js, for files that each run in a process of their own. */
export async function* runFiles({ files, env, execArgv = [], signal, onStuck, ...options }: Run) {
  const giveUp = new AbortController();
  const lastHeard = new Map<string, number>();
  // The runner limits each test, but not a process that stays when all of its tests have ended.
  const patience = options.timeout * 1.25;
  const watch = setInterval(() => {
    const stuck = [...lastHeard].find(([, at]) => performance.now() - at > patience);
    if (!stuck || giveUp.signal.aborted) return;
    onStuck(stuck[0]);
    giveUp.abort();
  }, 1_000);
  try {
    const events: AsyncIterable<TestEvent> = run({
      ...options,
      files: [...files],
      execArgv: [...execArgv],
      env: { ...process.env, NODE_COMPILE_CACHE: COMPILED, ...env },
      signal: AbortSignal.any([signal, giveUp.signal]),
    });
    for await (const event of events) {
      hear(event, lastHeard);
      yield event;
    }
  } finally {
    clearInterval(watch);
  }
}

/** Notes which files are under way, and when each was heard last. */
function hear({ type, data }: TestEvent, lastHeard: Map<string, number>): void {
  if (data === undefined || !('file' in data) || data.file === undefined) return;
  const entryFile = 'entryFile' in data && typeof data.entryFile === 'string' ? data.entryFile : undefined;
  if (entryFile !== undefined) {
    // Results come in the order of the files, and so at times after the end of their file.
    if (lastHeard.has(entryFile)) lastHeard.set(entryFile, performance.now());
  } else if (type === 'test:dequeue') lastHeard.set(data.file, performance.now());
  else if (type === 'test:complete') lastHeard.delete(data.file);
}
