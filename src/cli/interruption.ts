import { Failure } from '../domain/failure.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { reasonOf } from '../domain/reason.ts';

/**
 * The sentence for a database that went away, and for a file or a pipe that cannot be read or takes no more; `say` makes
 * it out of the reason. Any other error stays as it is.
 */
export function interruption(error: unknown, say: (reason: string) => string): unknown {
  const isTold = error instanceof Failure || (error instanceof Error && 'syscall' in error);
  return isTold ? new OperatorError(say(reasonOf(error).replace(/\.$/, ''))) : error;
}
