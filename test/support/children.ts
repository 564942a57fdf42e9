import { readFileSync } from 'node:fs';

/** The process ids of the processes that this one has started, as Linux tells them (proc_tid_children(5)). */
export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** True for one that SIGSTOP has reached. */
export function isHalted(pid: number): boolean {
  return /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}
