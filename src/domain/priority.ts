import { execFile, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
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

/**
 * Lowers the priority of all threads of this process as far as the system lets it. On Linux, `chrt` of util-linux gives
 * them idle time only (sched(7), SCHED_IDLE). Niceness, which Node can set by itself, is not enough: a request would wait
 * a few milliseconds for a thread of the lowest niceness to end its turn. Where there is no `chrt`, niceness remains.
 */
export function comeLast(): void {
  setPriority(constants.priority.PRIORITY_LOW);
  if (process.platform === 'linux') spawnSync('chrt', policyOf(process.pid, '--idle'), { stdio: 'ignore' });
}

/** What `chrt` is asked for. */
function policyOf(pid: number, policy: '--idle' | '--other'): string[] {
  return ['--all-tasks', policy, '--pid', '0', `${pid}`];
}

/**
 * Takes back `comeLast` of another process, which has to end soon, and then calls `done`. Only who has CAP_SYS_NICE may, as
 * root has; for all others nothing changes.
 */
export function comeForward(pid: number, done: () => void): void {
  for (const thread of threadsOf(pid))
    try {
      setPriority(thread, constants.priority.PRIORITY_NORMAL);
    } catch {
      // The thread has ended, or may not come forward.
    }
  if (process.platform === 'linux') execFile('chrt', policyOf(pid, '--other'), done);
  else done();
}

/**
 * Where each thread has a niceness of its own, those that were started after `comeLast` have the lowest. Empty where the
 * process has ended.
 */
function threadsOf(pid: number): number[] {
  if (process.platform !== 'linux') return [pid];
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}
