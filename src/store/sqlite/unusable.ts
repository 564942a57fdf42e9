import { accessSync, constants, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../../domain/operator-error.ts';

const ELSEWHERE = 'set DATA_DIR or DATABASE_URL to another place.';

/**
 * Explains in one sentence why this process cannot open, make or write a database file. Any other error is returned as
 * it is.
 */
export function unusableFile(file: string, error: unknown): unknown {
  const isOfSystem = error instanceof Error && ('syscall' in error || 'errstr' in error);
  if (!isOfSystem) return error;
  return new OperatorError(
    `The database ${file} cannot be used: ${barrier(file) ?? `${error.message}; ${ELSEWHERE}`}`,
  );
}

/** True if the file exists. Fails with OperatorError if this process may not even check. */
export function fileExists(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw unusableFile(file, error);
  }
}

/** What keeps this process from writing: the file itself, or the nearest existing folder above it. */
function barrier(file: string): string | undefined {
  for (let path = file; path !== dirname(path); path = dirname(path)) {
    const stats = statsOf(path);
    if (!stats) continue;
    if (path !== file && !stats.isDirectory()) return `${path} is no folder; ${ELSEWHERE}`;
    const refusal = refusalToWrite(path);
    if (refusal === 'EROFS') return `${path} is on a file system that is read-only; ${ELSEWHERE}`;
    if (refusal) return `${belongsTo(stats.uid, path)}, or ${ELSEWHERE}`;
    if (stats.isDirectory()) return undefined;
  }
  return undefined;
}

function belongsTo(uid: number, path: string): string {
  const [owner, self] = [nameOf(uid), nameOf(process.geteuid?.() ?? uid)];
  if (owner === self) return `${path} may not be written by its owner, ${owner}; change its mode`;
  return `${path} belongs to ${owner} and may not be written by ${self}; run this as ${owner}, change its owner`;
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function refusalToWrite(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : undefined;
  }
}

/** The name of a user in /etc/passwd, or "user <number>". */
function nameOf(uid: number): string {
  try {
    const fields = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'));
    return fields.find((each) => each[2] === String(uid))?.[0] ?? `user ${uid}`;
  } catch {
    return `user ${uid}`;
  }
}
