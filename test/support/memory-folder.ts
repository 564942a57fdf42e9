import { statfs } from 'node:fs/promises';

/** Where Linux has files in memory. A container may have no more than 64 MB there. */
const FOLDER = '/dev/shm';
/** Four processes of tests have up to a hundred databases of 11 MB at once. */
const NEEDED = 4 * 1024 ** 3;

/** A folder whose files are in memory, where much more is available than tests need; otherwise undefined. */
export async function memoryFolder(): Promise<string | undefined> {
  const { bavail, bsize } = await statfs(FOLDER).catch(() => ({ bavail: 0, bsize: 0 }));
  return Math.min(bavail * bsize, process.availableMemory() / 2) >= NEEDED ? FOLDER : undefined;
}
