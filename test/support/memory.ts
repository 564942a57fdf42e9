import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 250;
/** A process that gave nothing back for this long is at rest; milliseconds, as `rest`. */
const REST_MS = 5_000;
const MOST_MS = 60_000;

/** The memory that a process has now, in bytes (`VmRSS`), or had at its most (`VmHWM`), as Linux tells. */
export function memoryOf(pid: number | undefined, which: 'VmRSS' | 'VmHWM'): number {
  const found = new RegExp(`${which}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (found === undefined) throw new Error(`Linux does not tell ${which} of process ${pid}.`);
  return 1024 * Number(found);
}

/** The least memory that a process comes down to when it is left alone, until it gives nothing back for `rest`; in bytes. */
export async function restingMemory(pid: number | undefined, rest = REST_MS): Promise<number> {
  let least = memoryOf(pid, 'VmRSS');
  let quiet = 0;
  for (let waited = 0; waited < MOST_MS && quiet < rest; waited += LOOK_MS) {
    await pause(LOOK_MS);
    const now = memoryOf(pid, 'VmRSS');
    quiet = now < least * 0.99 ? 0 : quiet + LOOK_MS;
    least = Math.min(least, now);
  }
  return least;
}
