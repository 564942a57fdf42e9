import { Failure } from '../domain/failure.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { reasonOf } from '../domain/reason.ts';

/**
 * Makes a sentence for a database that is unavailable, or for a file or pipe that fails. `say` makes it from the
 * reason. Any other error is returned as it is.
 */
export function interruption(error: unknown, say: (reason: string) => string): unknown {
  const isTold = error instanceof Failure || (error instanceof Error && 'syscall' in error);
  return isTold ? new OperatorError(say(reasonOf(error).replace(/\.$/, ''))) : error;
}
