import { readFileSync } from 'node:fs';
import { hasCode } from '../../src/domain/reason.ts';

/** The process ids of the processes that this one has started, as Linux tells them (proc_tid_children(5)). */
export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** False for one that has ended, and waits as a zombie for its parent. */
export function isAlive(pid: number): boolean {
  return !['Z', 'X', undefined].includes(stateOf(pid));
}

/** True for one that SIGSTOP has reached. */
export function isHalted(pid: number): boolean {
  return stateOf(pid) === 'T';
}

/** The letter of proc_pid_status(5); undefined where there is no such process. */
function stateOf(pid: number): string | undefined {
  try {
    return /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ESRCH')) return undefined;
    throw error;
  }
}
