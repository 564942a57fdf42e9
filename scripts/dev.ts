import { spawn } from 'node:child_process';
import pretty from 'pino-pretty';
import { FOR_PEOPLE } from '../src/cli/logger.ts';

/** Serves from the source, restarts when a file changes, and shows the log as lines for people. */
const service = spawn(process.execPath, ['--watch', 'src/main.ts', 'serve'], {
  env: { LOG_LEVEL: 'debug', SMTP_URL: 'log', ...process.env },
  stdio: ['ignore', 'pipe', 'inherit'],
  // Its own process group, because Ctrl-C would otherwise reach the service twice, and the second signal ends it at
  // once.
  detached: true,
});
service.stdout.pipe(pretty(FOR_PEOPLE));

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => service.kill(signal));
}
service.on('close', (code) => {
  process.exitCode = code ?? 1;
});
