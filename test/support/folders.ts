import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import './exit-on-signal.ts';

const folders = new Set<string>();

// Of tests that were interrupted, or ended by their time limit. What still writes there has to end first.
process.on('exit', () => {
  for (const folder of folders)
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});

/** Takes note of a temporary folder, which no end of this process leaves behind, except one by SIGKILL. */
export function noteFolder(folder: string): void {
  folders.add(folder);
}

/** A service that has not stopped yet may write there meanwhile. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  folders.delete(folder);
}
