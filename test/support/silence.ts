import { execute } from './postgres.ts';
import { childrenOf, isHalted } from './process-state.ts';
import { until } from './until.ts';

/**
 * Stops every process of a PostgreSQL server (SIGSTOP). The server keeps its connections and answers nothing; new
 * connections are taken by the operating system alone. Returns a function that lets the server go on, which may be
 * called twice.
 */
export async function fallSilent(url: string): Promise<() => void> {
  const [main] = await execute<{ pid: number }>(
    url,
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`,
  );
  if (!main) throw new Error('The server does not name its main process.');
  // The main process is stopped first, so that it starts no other meanwhile. One that has begun to start is not in
  // pg_stat_activity yet.
  process.kill(main.pid, 'SIGSTOP');
  await until(() => isHalted(main.pid), 'the main process stands still');
  const pids = [main.pid, ...childrenOf(main.pid)];
  const send = (signal: NodeJS.Signals) => {
    for (const pid of pids) {
      try {
        process.kill(pid, signal);
      } catch {
        // This process has ended since.
      }
    }
  };
  send('SIGSTOP');
  return () => send('SIGCONT');
}
