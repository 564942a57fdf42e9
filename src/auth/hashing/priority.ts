import { execFileSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * Lets the calling thread run only where nothing else wants to, on Linux, where scheduling is a matter of
 * each thread. As SCHED_IDLE (sched(7)) it gives way at once; Node.js cannot set that, so util-linux does
 * (chrt(1)). Where that is missing the thread has the lowest niceness, and a thread of that still finishes
 * its turn of some milliseconds before another gets the processor.
 */
export function giveWay(): void {
  if (process.platform !== 'linux') return;
  setPriority(0, constants.priority.PRIORITY_LOW);
  try {
    const thread = basename(readlinkSync('/proc/thread-self'));
    execFileSync('chrt', ['--idle', '--pid', '0', thread], { stdio: 'ignore', timeout: 1_000 });
  } catch {
    // Niceness it is.
  }
}
