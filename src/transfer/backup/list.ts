import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../domain/failure.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import { hasCode } from '../../domain/reason.ts';
import { isBackupName, timeInName } from './folder.ts';

/** A file in the folder of backups. */
export interface BackupFile {
  readonly name: string;
  /** When it was begun, in milliseconds since 1970, as its name says. */
  readonly begunAt: number;
  readonly bytes: number;
}

/** Of a folder with more entries than this, the rest is not looked at. */
const ENTRIES = 50_000;

/**
 * The backups in a folder by their names, newest first. A folder that does not exist has none. Fails with `unavailable`
 * where it may not be read.
 */
export async function listBackups(
  folder: string,
  { page, per_page }: PageRequest,
): Promise<Page<BackupFile>> {
  const names = (await namesIn(folder)).sort(newestFirst);
  const start = (page - 1) * per_page;
  const items: BackupFile[] = [];
  // One after another: each takes a thread of the runtime's pool, for as long as a share hangs.
  for (const name of names.slice(start, start + per_page)) {
    const file = await fileOf(folder, name);
    if (file) items.push(file);
  }
  return { items, total: names.length, page, per_page };
}

function newestFirst(one: string, other: string): number {
  return one < other ? 1 : -1;
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    let seen = 0;
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      if (entry.isFile() && isBackupName(entry.name)) names.push(entry.name);
      if (++seen >= ENTRIES) break;
    }
  } catch (error) {
    if (hasCode(error, 'EACCES') || hasCode(error, 'EPERM')) throw unreadable(error);
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'ENOTDIR')) throw error;
  }
  return names;
}

function unreadable(cause: unknown): Failure {
  const message =
    'The service may not read the folder of the backups, BACKUP_DIR; the log of this request says why.';
  return new Failure({ error: 'unavailable', message, retryAfter: 10 }, cause);
}

/** Undefined for a file that was removed meanwhile. */
async function fileOf(folder: string, name: string): Promise<BackupFile | undefined> {
  const stats = await stat(join(folder, name)).catch(() => undefined);
  return stats && { name, begunAt: timeInName(name), bytes: stats.size };
}
