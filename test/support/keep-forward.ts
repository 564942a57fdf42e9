import type { ChildProcess } from 'node:child_process';
import { comeForward } from '../../src/domain/priority.ts';

const EVERY_MS = 5_000;

/**
 * Takes back again and again that this command came last, until it ends: the tests keep every processor busy, and a
 * command that gets idle time only would not end in time.
 */
export function keepForward(child: ChildProcess): void {
  const timer = setInterval(() => {
    if (child.pid !== undefined) comeForward(child.pid, () => {});
  }, EVERY_MS);
  child.once('exit', () => clearInterval(timer));
  child.once('error', () => clearInterval(timer));
}
