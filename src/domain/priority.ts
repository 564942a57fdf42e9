import { constants, getPriority, setPriority } from 'node:os';

const NICENESS = constants.priority.PRIORITY_BELOW_NORMAL;

/**
 * Lets the calling thread come after others, on Linux, where niceness is a matter of each thread (sched(7)). Beside a
 * thread that never rests it still gets a tenth of the core: with nothing but idle time, whoever keeps all cores busy
 * would keep everybody from signing in.
 */
export function giveWay(): void {
  // A service that was started with less stays there: only root may take more.
  if (process.platform === 'linux' && getPriority() < NICENESS) setPriority(NICENESS);
}
