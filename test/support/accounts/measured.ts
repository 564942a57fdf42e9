import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { COMPILE_CACHE } from '../compile-cache.ts';
import { MAIN } from '../main.ts';
import { memoryOf } from '../memory.ts';
import { withSealingKey } from '../sealing.ts';

const LOOK_MS = 20;

/** What a command said, and took. */
export interface Measured {
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
  /** The most memory that the process had, in bytes. */
  readonly memory: number;
}

/** Runs `stoa` with these arguments, and fails where it ends with another code than 0. */
export async function measured(args: readonly string[], settings: Record<string, string>): Promise<Measured> {
  const began = performance.now();
  const env = { PATH: process.env.PATH, ...COMPILE_CACHE, ...withSealingKey(settings) };
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: tmpdir(), env });
  let [stdout, stderr, memory] = ['', '', 0];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const look = setInterval(() => {
    try {
      memory = memoryOf(child.pid, 'VmHWM');
    } catch {
      // It has ended.
    }
  }, LOOK_MS);
  const code = await new Promise((resolve) => child.on('close', resolve));
  clearInterval(look);
  if (code !== 0) throw new Error(`stoa ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return { stdout, stderr, seconds: (performance.now() - began) / 1000, memory };
}
