import { execute } from './postgres.ts';

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
  const others = await execute<{ pid: number }>(
    url,
    'select pid from pg_stat_activity where pid <> pg_backend_pid()',
  );
  // The main process is stopped first, so that it starts no other meanwhile.
  const pids = [...(main ? [main] : []), ...others].map(({ pid }) => pid);
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
