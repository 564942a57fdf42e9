import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Architecture, strippersFor } from './architectures.ts';

/**
 * The bytes of a Node.js binary without the symbols that only a debugger of C++ reads, a fifth of it. They stay where
 * this machine has no program to remove them.
 */
export function strippedRuntime(binary: string, architecture: Architecture, scratch: string): Buffer {
  const target = join(scratch, 'node');
  for (const program of strippersFor(architecture)) {
    const { error, status } = spawnSync(program, ['--strip-all', '-o', target, binary]);
    if (error === undefined && status === 0) return readFileSync(target);
  }
  const missing = strippersFor(architecture).join(', ');
  process.stderr.write(`The symbols stay in the Node.js of ${architecture}: none of ${missing} is here.\n`);
  return readFileSync(binary);
}
