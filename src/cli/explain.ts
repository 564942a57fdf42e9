import { Failure } from '../domain/failure.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { translateSqliteError } from '../store/sqlite/errors.ts';

/** What the operating system says when a setting does not fit the machine. */
const SYSTEM_ERRORS: Record<string, (message: string) => string> = {
  'listen EADDRINUSE': () => 'PORT is in use by another process; choose another.',
  'listen EACCES': () => 'PORT may not be opened by this user; choose one from 1024 on.',
  'listen EADDRNOTAVAIL': () => 'HOST must be an address of this machine.',
  'listen EINVAL': () => 'HOST must be an address of this machine.',
  'getaddrinfo ENOTFOUND': () => 'HOST must be an address or a name of this machine.',
  'getaddrinfo EAI_AGAIN': () => 'HOST must be an address or a name of this machine.',
  mkdir: (message) => `DATA_DIR must be a folder that can be made and written (${message}).`,
  open: (message) => `DATA_DIR must be a folder that can be written (${message}).`,
};

/** What PostgreSQL says when its user lacks a right (SQLSTATE insufficient_privilege). */
const NOT_ALLOWED = '42501';

/** A mistake of the person at the terminal is one line for each; only a fault of ours shows its stack. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof OperatorError || error instanceof Failure) return error.message;
  if (error.name === 'AbortError') return 'Cancelled; nothing was changed.';
  return explainSystemError(error) ?? error.stack ?? error.message;
}

function explainSystemError(error: Error): string | undefined {
  if ('errstr' in error) return explainSqliteError(error);
  if ('code' in error && error.code === NOT_ALLOWED) return `The database refuses this: ${error.message}.`;
  if (!('syscall' in error) || !('code' in error)) return undefined;
  const explanation = SYSTEM_ERRORS[`${error.syscall} ${error.code}`] ?? SYSTEM_ERRORS[String(error.syscall)];
  return explanation?.(error.message);
}

function explainSqliteError(error: Error): string {
  const translated = translateSqliteError(error);
  if (translated instanceof OperatorError) return translated.message;
  return `The database file cannot be used: ${error.message}.`;
}
