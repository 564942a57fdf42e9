import { spawn } from 'node:child_process';
import { type CommandResult, stoa } from './command.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import type { Lifetime } from './engines.ts';
import { MAIN } from './main.ts';
import type { Place } from './place.ts';
import { withSealingKey } from './sealing.ts';
import { until } from './until.ts';

/** Runs a move until it ends. */
export function move(from: Place, to: Place): Promise<CommandResult> {
  return stoa(['move', '--from', from.url, '--to', to.url]);
}

/** A command that the test looks at, stops or kills. */
export interface CommandProcess {
  /** Resolves when it says that it begins this step. */
  readonly reaches: (step: string) => Promise<void>;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<CommandResult & { readonly signal: NodeJS.Signals | null }>;
}

export function startMove(t: Lifetime, from: Place, to: Place): CommandProcess {
  return startCommand(t, ['move', '--from', from.url, '--to', to.url]);
}

export function startCommand(
  t: Lifetime,
  args: readonly string[],
  settings: Record<string, string> = {},
): CommandProcess {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH, ...COMPILE_CACHE, ...withSealingKey(settings) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<CommandResult & { signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    ended,
    signal: (signal) => child.kill(signal),
    reaches: async (step) => {
      await until(() => {
        if (stderr.includes(step)) return true;
        if (child.exitCode === null && child.signalCode === null) return false;
        throw new Error(`The command ended before "${step}":\n${stderr}`);
      }, `the command says "${step}"`);
    },
  };
}

/** The lines of the proof. Each has a table, the number of its rows and its checksum. */
export function proofOf({ stdout }: CommandResult): string[] {
  return [...stdout.matchAll(/^ {2}(\w+) +(\d+) rows {2}([0-9a-f]{64})$/gm)].map(([line]) => line);
}
