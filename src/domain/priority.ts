import { constants, getPriority, setPriority } from 'node:os';

const NICENESS = constants.priority.PRIORITY_BELOW_NORMAL;

/**
 * Lowers the priority of the calling thread on Linux, where each thread has its own niceness (sched(7)). The thread
 * still gets a tenth of a core that another thread keeps busy. With idle time only, someone who keeps all cores busy
 * would stop all sign-ins.
 */
export function giveWay(): void {
  // A process that was started with a lower priority keeps it: only root may raise it.
  if (process.platform === 'linux' && getPriority() < NICENESS) setPriority(NICENESS);
}
