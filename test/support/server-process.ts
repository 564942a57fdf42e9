import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import './exit-on-signal.ts';

const running = new Set<ChildProcess>();

// No server outlives the process that started it, unless SIGKILL ends that process.
process.on('exit', () => {
  // At once (immediate shutdown): the folder of its data is removed too.
  for (const server of running) server.kill('SIGQUIT');
});

/** Starts `postgres` and resolves when it accepts connections. Rejects with what it said if it ends before. */
export async function startServer(
  postgres: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  const server = spawn(postgres, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  await once(server, 'spawn');
  running.add(server);
  server.once('exit', () => running.delete(server));
  const said: string[] = [];
  for await (const line of createInterface({ input: server.stderr })) {
    if (line.includes('database system is ready to accept connections')) {
      server.stderr.resume();
      return server;
    }
    said.push(line);
  }
  throw new Error(`PostgreSQL did not start:\n${said.join('\n')}`);
}

/** Ends the server as its operator would (fast shutdown). */
export async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGINT');
  await exited;
}
