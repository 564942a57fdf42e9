import type { DatabaseSync } from 'node:sqlite';
import { isUnavailable } from '../../domain/failure.ts';
import { translateSqliteError } from './errors.ts';

/**
 * Copies what no reader needs any longer from the log into the file. Returns false if someone was in the way. Where the
 * disk is full, the log keeps what was not copied, and a later checkpoint tries again.
 */
export function checkpoint(database: DatabaseSync, mode: 'PASSIVE' | 'RESTART'): boolean {
  try {
    return database.prepare(`PRAGMA main.wal_checkpoint(${mode})`).get()?.busy === 0;
  } catch (error) {
    if (!isUnavailable(translateSqliteError(error))) throw error;
    return true;
  }
}
