import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMIT_MS } from './command.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import { MAIN } from './main.ts';

type Dialogue = readonly (readonly [question: string, answer: string])[];

/** Runs `stoa` as `atTerminal` does. */
export function stoaAtTerminal(
  args: readonly string[],
  settings: Record<string, string>,
  dialogue: Dialogue,
) {
  return atTerminal([process.execPath, MAIN, ...args].join(' '), settings, dialogue);
}

/**
 * Runs a command at a terminal (a real pseudo-terminal, by the tool `script`) and types each answer when
 * its question has appeared. Resolves with the exit code and everything that the screen showed.
 */
export async function atTerminal(
  command: string,
  settings: Record<string, string>,
  dialogue: Dialogue,
): Promise<{ code: number; screen: string }> {
  const env = { PATH: process.env.PATH, TERM: 'xterm', ...COMPILE_CACHE, ...settings };
  const terminal = spawn('script', ['-qec', command, '/dev/null'], { env, timeout: LIMIT_MS });
  let screen = '';
  terminal.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
  });
  const ended = once(terminal, 'close');
  for (const [question, answer] of dialogue) {
    while (!screen.includes(question) && terminal.exitCode === null && terminal.signalCode === null)
      await sleep(10);
    terminal.stdin.write(answer);
  }
  const [code] = await ended;
  return { code, screen };
}
