import { inspect } from 'node:util';
import { Failure } from '../domain/failure.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { escaped } from '../domain/shown.ts';
import { translateSqliteError } from '../store/sqlite/errors.ts';

/** Errors of the operating system that mean that a setting does not fit the machine, by system call and code. */
const SYSTEM_ERRORS: Record<string, (error: SystemError) => string> = {
  'listen EADDRINUSE': ({ port }) => `Port ${port} (PORT) is in use by another process; choose another.`,
  'listen EACCES': ({ port }) =>
    `Port ${port} (PORT) may not be opened by this user; choose one from 1024 on.`,
  'listen EADDRNOTAVAIL': ({ address }) => noAddress(address),
  'listen EINVAL': ({ address }) => noAddress(address),
  'getaddrinfo ENOTFOUND': ({ hostname }) => noAddress(hostname),
  'getaddrinfo EAI_AGAIN': ({ hostname }) => noAddress(hostname),
};

interface SystemError extends Error {
  readonly syscall: string;
  readonly code: string;
  readonly port?: number;
  readonly address?: string;
  readonly hostname?: string;
}

/** PostgreSQL's SQLSTATE for a missing right (insufficient_privilege). */
const NOT_ALLOWED = '42501';

/**
 * The text of an error for the terminal: one line where the operator can correct it, and the stack where the fault is
 * ours.
 */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof OperatorError || error instanceof Failure) return error.message;
  if (error.name === 'AbortError') return 'Cancelled; nothing was changed.';
  return explainSystemError(error) ?? error.stack ?? error.message;
}

/** The cause of an OperatorError with its stack, for developers: what looks like a fault of a file may be ours. */
export function causeOf(error: unknown): string {
  if (!(error instanceof OperatorError) || error.cause === undefined) return '';
  return inspect(error.cause)
    .split('\n')
    .map((line) => `${escaped(line)}\n`)
    .join('');
}

function explainSystemError(error: Error): string | undefined {
  if ('errstr' in error) return explainSqliteError(error);
  if ('code' in error && error.code === NOT_ALLOWED) return `The database refuses this: ${error.message}.`;
  return isSystemError(error) ? SYSTEM_ERRORS[`${error.syscall} ${error.code}`]?.(error) : undefined;
}

function isSystemError(error: Error): error is SystemError {
  return 'syscall' in error && 'code' in error;
}

function noAddress(host: string | undefined): string {
  return `The host ${host} (HOST) is no address and no name of this machine; choose one that is.`;
}

function explainSqliteError(error: Error): string {
  const translated = translateSqliteError(error);
  if (translated instanceof OperatorError) return translated.message;
  return `The database file cannot be used: ${error.message}.`;
}
