import { relative } from 'node:path';

/** The interface from end to end, for the time between two changes. `npm run test:fast` lets no test start a process. */
export const FAST = 'test/interface/**/*.test.ts';

/** Test files that run alone, because others would disturb what they measure: memory, or seconds. */
const ALONE = /^test\/alone\//;

export interface Step {
  /** What the step does and how long it takes, for whoever waits. */
  readonly title: string;
  readonly files: readonly string[];
  readonly concurrency: number;
  readonly env?: Record<string, string>;
  readonly execArgv?: readonly string[];
}

const NO_PROCESSES = new URL('../../test/support/no-processes.ts', import.meta.url).href;

/** The files by how they may run, in the order of the run. */
export function stepsOf(files: readonly string[], isFast: boolean): Step[] {
  const isAlone = (file: string) => ALONE.test(relative('.', file));
  const together = files.filter((file) => !isAlone(file));
  const alone = files.filter(isAlone);
  if (isFast) {
    const title = `Test files: ${together.length}, on SQLite, three at a time; about half a minute on two cores.`;
    return [
      {
        title,
        files: together,
        concurrency: 3,
        env: { STOA_TEST_ENGINE: 'sqlite' },
        execArgv: [`--import=${NO_PROCESSES}`],
      },
    ];
  }
  const steps = [
    {
      title: `Test files: ${together.length}, two at a time; all of them take about thirteen minutes on two cores.`,
      files: together,
      concurrency: 2,
    },
    {
      title: `Test files: ${alone.length}, one at a time, since they measure; all of them take about a minute.`,
      files: alone,
      concurrency: 1,
    },
  ];
  return steps.filter((step) => step.files.length > 0);
}
