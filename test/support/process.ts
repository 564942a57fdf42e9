import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { freePort } from './cluster.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import { SERVE } from './main.ts';
import { withSealingKey } from './sealing.ts';
import { until } from './until.ts';

/** A service that has not started after this time is killed. Where the machine is busy, a start takes a minute. */
const START_LIMIT_MS = 240_000;

export interface ServiceProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** What the process wrote to standard output and to standard error so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends the signal and resolves with the exit code, or the signal that ended it. */
  readonly stop: (signal: NodeJS.Signals) => Promise<number | NodeJS.Signals | null>;
}

/** Another program that starts the service, such as npm, and the folder to start it in. */
export interface StartCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
}

/** A service with several workers looks for a port, and listens on it only when a worker has started. */
const portFor = async ({ WORKERS = '1' }: Record<string, string>) =>
  WORKERS === '1' ? '0' : String(await freePort());

/** Runs `stoa serve` as a process of its own and waits until it listens. Killed when the test ends. */
export async function startProcess(
  t: Pick<TestContext, 'after'>,
  settings: Record<string, string>,
  by?: StartCommand,
): Promise<ServiceProcess> {
  const PORT = await portFor(settings);
  const child = spawn(by?.program ?? process.execPath, by?.args ?? SERVE, {
    cwd: by?.cwd,
    // A process group, so that the service ends with the test even where the program that started it has ended.
    detached: by !== undefined,
    env: { PATH: process.env.PATH, ...(by ? {} : COMPILE_CACHE), PORT, ...withSealingKey(settings) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => (by ? killGroup(child) : child.kill('SIGKILL')));
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const tooLong = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  const port = await listeningPort(child, () => stderr).finally(() => clearTimeout(tooLong));
  // The greeting is written before that line, but comes through another pipe.
  await until(() => stderr.endsWith('\n\n'), 'the service writes its greeting');
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    stop: async (signal) => {
      const exited = once(child, 'exit');
      if (child.exitCode !== null || child.signalCode !== null) return child.signalCode ?? child.exitCode;
      child.kill(signal);
      const [code, endedBy] = await exited;
      return endedBy ?? code;
    },
  };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of the group has ended.
  }
}

/** Reads the log until the line that says which port it is. */
export async function listeningPort(child: ChildProcess, stderr: () => string): Promise<number> {
  if (!child.stdout) throw new Error('The process has no standard output.');
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    // `node --watch` says this of a process that ended, and then waits for a file to change.
    if (line.startsWith('Failed running')) break;
    // npm prints other lines before it starts the service.
    if (!line.startsWith('{')) continue;
    const event = JSON.parse(line);
    if (event.msg === 'listening') {
      lines.close();
      child.stdout.resume();
      return event.port;
    }
  }
  throw new Error(`The service did not start:\n${stderr()}`);
}
