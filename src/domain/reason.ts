import { Failure } from './failure.ts';

/** Why something failed, as one line for the terminal or the log: the innermost cause, without a stack. */
export function reasonOf(error: unknown): string {
  if (error instanceof Failure && error.cause !== undefined) return reasonOf(error.cause);
  // All addresses of a name were tried, and each has its own error.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

/** Whether this is an error of the system, of Node.js or of PostgreSQL with this code, such as ENOENT. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
