import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MAIN } from '../../test/support/main.ts';
import type { Prepared } from '../target.ts';

const DATA = new URL('../.data/', import.meta.url).pathname;

export interface Backups {
  /** How many have ended, with the time of each. */
  readonly seconds: readonly number[];
  readonly errors: number;
}

/**
 * Runs `stoa backup` as an operator would while the service of this database runs, one after the other. The returned
 * function interrupts the last one.
 */
export function backUpRepeatedly({ settings }: Prepared): () => Promise<Backups> {
  const seconds: number[] = [];
  let [goesOn, errors] = [true, 0];
  let running: ChildProcess | undefined;
  const all = (async () => {
    const folder = await mkdtemp(join(DATA, 'backups-'));
    while (goesOn) {
      const begun = performance.now();
      running = spawn(process.execPath, [MAIN, 'backup', join(folder, `${seconds.length}.zst`)], {
        cwd: '/',
        env: { PATH: process.env.PATH, ...settings },
        stdio: 'ignore',
      });
      const [code] = await once(running, 'exit');
      if (code === 0) seconds.push((performance.now() - begun) / 1_000);
      else if (goesOn) errors++;
    }
    await rm(folder, { recursive: true });
  })();
  return async () => {
    goesOn = false;
    running?.kill('SIGTERM');
    await all;
    return { seconds, errors };
  };
}
