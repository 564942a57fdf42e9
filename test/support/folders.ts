import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import './exit-on-signal.ts';

const folders = new Set<string>();
/** A service or command that has not ended yet may write there meanwhile. */
const REMOVAL = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 };

// Of tests that were interrupted, or ended by their time limit. What still writes there has to end first.
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, REMOVAL);
});

/** Takes note of a temporary folder, which no end of this process leaves behind, except one by SIGKILL. */
export function noteFolder(folder: string): void {
  folders.add(folder);
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, REMOVAL);
  folders.delete(folder);
}
