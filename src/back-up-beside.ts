import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Notice } from './domain/notice.ts';
import { OperatorError } from './domain/operator-error.ts';
import { comeForward } from './domain/priority.ts';

/** The path of the proved file, or the name of the object that was sent; or why there is none. */
export type BackupAnswer = { readonly made: string } | { readonly problem: string };
/** What the operator should know meanwhile, and why. */
export interface BackupNotice {
  readonly notice: string;
  readonly cause: string;
}

const MODULE = new URL('./backup-process.ts', import.meta.url);
/** The heap of the process. A batch of rows has 2 MiB, and a row less than that. */
const EXEC_ARGV = ['--max-old-space-size=192', '--max-semi-space-size=4'];
/** A process that was asked to stop gets this long to remove what it has begun. */
const GRACE_MS = 3_000;
/** Of what a process says before it is lost. */
const SAID_CHARACTERS = 2_000;

/**
 * Makes or sends a backup in a process of its own with low priority, because a service must not wait for it, nor hold its
 * memory. `task` is the `BackupTask` or the `SendingTask` of that process. Returns the path of the proved file, or the name
 * of the object. Fails with OperatorError.
 */
export async function backUpBeside(
  task: object,
  stopping: AbortSignal,
  notice: Notice = () => {},
): Promise<string> {
  stopping.throwIfAborted();
  const child = fork(MODULE, {
    execArgv: EXEC_ARGV,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-SAID_CHARACTERS);
  });
  let answer: BackupAnswer | undefined;
  child.on('message', (message: BackupAnswer | BackupNotice) => {
    if ('notice' in message) notice(message.notice, message.cause);
    else answer = message;
  });
  let late: NodeJS.Timeout | undefined;
  const stop = () => {
    // With idle time only it would not end in time on a busy machine.
    if (child.pid !== undefined) comeForward(child.pid, () => child.kill('SIGTERM'));
    late = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  };
  stopping.addEventListener('abort', stop, { once: true });
  const closed = once(child, 'close');
  // A process that ended before it took the task says so by its end. One that could not be started, as for want of file
  // descriptors, has no channel, and says so by its error.
  if (child.connected) child.send(task, () => {});
  try {
    const [code, signal] = await closed;
    if (answer && 'made' in answer) return answer.made;
    throw new OperatorError(
      answer?.problem ?? `The process of the backup ended (${signal ?? code}). ${said}`,
    );
  } finally {
    clearTimeout(late);
    stopping.removeEventListener('abort', stop);
  }
}
