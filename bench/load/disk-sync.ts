import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Percentiles, percentiles } from './job.ts';

const PAGE = Buffer.alloc(4_096, 1);
const PAUSE_MS = 50;

/**
 * The disk's own time in milliseconds: writes one page and calls fdatasync repeatedly, until the returned function is
 * called.
 */
export async function measureDiskSync(folder: string): Promise<() => Promise<Percentiles>> {
  const own = await mkdtemp(join(folder, 'sync-'));
  const file = await open(join(own, 'file'), 'w');
  const times: number[] = [];
  let goesOn = true;
  const running = (async () => {
    while (goesOn) {
      const start = performance.now();
      await file.write(PAGE, 0, PAGE.length, 0);
      await file.datasync();
      times.push(performance.now() - start);
      await pause(PAUSE_MS);
    }
  })();
  return async () => {
    goesOn = false;
    await running;
    await file.close();
    await rm(own, { recursive: true });
    return percentiles(Float64Array.from(times));
  };
}
