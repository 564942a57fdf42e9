import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { FileTimes } from './run-files.ts';

const RUN_FILES = new URL('run-files.ts', import.meta.url).href;
const SHARED_PROCESS = new URL('../../test/support/shared-process.ts', import.meta.url).href;
const CACHE = new URL('../../node_modules/.cache/stoa/', import.meta.url).pathname;

/** The test files of each process of a run, by the file that `node --test` starts. */
type Processes = Record<string, readonly string[]>;

/** Writes for each process the file that `node --test` starts. Returns these files. */
export function entriesOf(folder: string, processes: readonly (readonly string[])[]): string[] {
  const before = filesOfProcesses(folder);
  const now: Processes = {};
  for (const files of processes) {
    const number = String(Object.keys({ ...before, ...now }).length).padStart(3, '0');
    const entry = join(folder, `${number}.mjs`);
    const paths = files.map((file) => resolve(file));
    writeFileSync(entry, source(paths));
    now[entry] = paths;
  }
  writeFileSync(join(folder, 'processes.json'), JSON.stringify({ ...before, ...now }));
  return Object.keys(now);
}

export function filesOfProcesses(folder: string): Processes {
  const file = join(folder, 'processes.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Writes into the cache how long each file took, the longest first. */
export function writeTable(folder: string): void {
  const file = join(folder, 'times');
  if (!existsSync(file)) return;
  const times: FileTimes[] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .toSorted((one: FileTimes, other: FileTimes) => other.processor - one.processor);
  const sum = (of: (each: FileTimes) => number) => times.reduce((all, each) => all + of(each), 0);
  const total = { file: 'all', processor: sum((each) => each.processor), clock: sum((each) => each.clock) };
  const lines = [total, ...times].map(
    (each) => `${each.processor.toFixed(1).padStart(9)} ${each.clock.toFixed(1).padStart(9)}  ${each.file}\n`,
  );
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(join(CACHE, 'test-times.txt'), `processor     clock  file (seconds)\n${lines.join('')}`);
}

function source(files: readonly string[]): string {
  const list = JSON.stringify(files);
  const run = `import { runFiles } from '${RUN_FILES}';\n`;
  if (files.length === 1) return `${run}runFiles(${list});\n`;
  return `import { endOfFile } from '${SHARED_PROCESS}';\n${run}runFiles(${list}, endOfFile);\n`;
}
