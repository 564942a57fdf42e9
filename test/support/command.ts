import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { COMPILE_CACHE } from './compile-cache.ts';
import { keepForward } from './keep-forward.ts';
import { MAIN } from './main.ts';
import { withSealingKey } from './sealing.ts';

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly settings?: Record<string, string>;
  /** Sent to its standard input, which is then closed. */
  readonly input?: string;
  readonly cwd?: string;
  /** LIMIT_MS unless told. */
  readonly limitMs?: number;
}

/** A command that hangs is killed after this time. Where the machine is busy, a command of a second takes a minute. */
export const LIMIT_MS = 240_000;

/** Runs `stoa` with these arguments until it ends. One that is killed after its limit has the `code` null. */
export function stoa(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  return run(process.execPath, [MAIN, ...args], options);
}

/**
 * As `stoa`, with a user whom the owners and modes of files bind. Root becomes such a user by giving up its
 * capabilities, and can still read the checkout wherever it is.
 */
export function stoaUnprivileged(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  if (process.getuid?.() !== 0) return stoa(args, options);
  const drop = ['--bounding-set', '-all', '--inh-caps', '-all'];
  return run('setpriv', [...drop, process.execPath, MAIN, ...args], options);
}

/** Runs a program with these arguments and no other environment until it ends. */
export function run(
  command: string,
  args: readonly string[],
  { settings = {}, input = '', cwd = tmpdir(), limitMs = LIMIT_MS }: CommandOptions = {},
): Promise<CommandResult> {
  const { PATH, HOME } = process.env;
  // npm is run as its user runs it.
  const cache = command === 'npm' ? {} : COMPILE_CACHE;
  const env = { PATH, HOME, ...cache, ...withSealingKey(settings) };
  const child = spawn(command, args, { cwd, env, timeout: limitMs, killSignal: 'SIGKILL' });
  keepForward(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  // A command that refuses its settings does not read its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
