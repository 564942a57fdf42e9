import { AsyncResource } from 'node:async_hooks';
import { appendFileSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, describe } from 'node:test';
import { pathToFileURL } from 'node:url';

/** What a test file took: seconds of a processor, with those of processes that it started, and seconds of a clock. */
export interface FileTimes {
  readonly file: string;
  readonly processor: number;
  readonly clock: number;
}

/** Runs one test file after the other in this process, each as a suite of its own. The first pays for the start. */
export function runFiles(files: readonly string[], endOfFile: () => Promise<void> = async () => {}): void {
  // What is added in the scope of a suite belongs to that suite, so the suite of each file is added in this one.
  const outside = new AsyncResource('test files');
  let [processor, clock] = [0, 0];
  const runNext = ([file, ...others]: readonly string[]) => {
    if (file === undefined) return;
    const name = relative('.', file);
    const end = async () => {
      const [processorNow, clockNow] = [processorSeconds(), performance.now() / 1_000];
      writeTimes({ file: name, processor: processorNow - processor, clock: clockNow - clock });
      [processor, clock] = [processorNow, clockNow];
      // A process whose last suite has ended runs no more, so the next suite is added before.
      await endOfFile().finally(() => outside.runInAsyncScope(runNext, undefined, others));
    };
    void describe(name, async () => {
      // The last hook of the suite: those of the file are added when it is loaded.
      await import(pathToFileURL(file).href).finally(() => after(end));
    });
  };
  runNext(files);
}

/** Of this process and of those that it started and that have ended, as Linux counts them (proc_pid_stat(5)). */
function processorSeconds(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    const ticks = fields.slice(11, 15).map(Number);
    return ticks.reduce((sum, each) => sum + each, 0) / 100;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

function writeTimes(times: FileTimes): void {
  const folder = process.env.STOA_TEST_RUN;
  if (folder !== undefined) appendFileSync(join(folder, 'times'), `${JSON.stringify(times)}\n`);
}
