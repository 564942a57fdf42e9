import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { SERVE } from '../../test/support/main.ts';
import type { Prepared } from '../target.ts';

const PROFILES = new URL('../.data/profiles', import.meta.url).pathname;

/** A server under load, in its own process. */
export interface Server {
  readonly port: number;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** `stoa serve` with the default settings. `profile` writes a .cpuprofile for each thread. */
export async function startStoa(prepared: Prepared, { profile = false } = {}): Promise<Server> {
  const options = profile ? ['--cpu-prof', `--cpu-prof-dir=${PROFILES}`] : [];
  const child = spawn(process.execPath, [...options, ...SERVE], {
    // Not in the checkout, whose .env would change the settings.
    cwd: '/',
    env: { PATH: process.env.PATH, PORT: '0', ...prepared.settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const lines = createInterface({ input: child.stdout });
  const listening = Promise.withResolvers<number>();
  lines.on('line', (line) => {
    const event = JSON.parse(line) as { msg: string; port: number };
    if (event.msg === 'listening') listening.resolve(event.port);
  });
  child.once('exit', () => listening.reject(new Error(`The service ended:\n${errors}`)));
  const port = await listening.promise;
  return {
    port,
    pid: child.pid ?? 0,
    stop: async () => {
      if (child.exitCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      await prepared.release();
    },
  };
}
