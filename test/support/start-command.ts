import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import type { CommandResult } from './command.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import type { Lifetime } from './engines.ts';
import { keepForward } from './keep-forward.ts';
import { MAIN } from './main.ts';
import type { Place } from './place.ts';
import { withSealingKey } from './sealing.ts';
import { until } from './until.ts';

/** A command that the test stops or kills. */
export interface CommandProcess {
  /** Resolves when it halts at the step of `Halt`, where it stays until `goOn`. */
  readonly halts: () => Promise<void>;
  readonly goOn: () => void;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<CommandResult & { readonly signal: NodeJS.Signals | null }>;
}

/** Where a command halts itself (`halting.ts`). */
export interface Halt {
  /** What it says when it begins the step. */
  readonly step: string;
  /** So many milliseconds of the step pass before. */
  readonly later?: number;
}

export function startMove(t: Lifetime, from: Place, to: Place, halt: Halt): CommandProcess {
  return startCommand(t, ['move', '--from', from.url, '--to', to.url], {}, halt);
}

export function startCommand(
  t: Lifetime,
  args: readonly string[],
  settings: Record<string, string>,
  halt?: Halt,
): CommandProcess {
  const child = spawn(process.execPath, [...(halt ? halting(halt) : []), MAIN, ...args], {
    env: { PATH: process.env.PATH, ...COMPILE_CACHE, ...withSealingKey(settings) },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  keepForward(child);
  t.after(() => child.kill('SIGKILL'));
  let [stdout, stderr, isHalted] = ['', '', false];
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const channel = child.stdio[3] as Duplex;
  channel.on('data', () => {
    isHalted = true;
  });
  const ended = new Promise<CommandResult & { signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    ended,
    signal: (signal) => child.kill(signal),
    halts: async () => {
      await until(() => {
        if (isHalted) return true;
        if (child.exitCode === null && child.signalCode === null) return false;
        throw new Error(`The command ended before it halted at "${halt?.step}":\n${stderr}`);
      }, `the command halts at "${halt?.step}"`);
    },
    goOn: () => {
      channel.write('.');
    },
  };
}

function halting({ step, later = 0 }: Halt): string[] {
  const url = new URL('./halting.ts', import.meta.url);
  url.search = `${new URLSearchParams({ step, later: `${later}` })}`;
  return ['--import', url.href];
}
