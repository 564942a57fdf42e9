import { execute } from './postgres.ts';

/**
 * Stops every process of a PostgreSQL server (SIGSTOP). It keeps its connections, takes new ones as far as the
 * operating system does that for it, and says nothing. Returns what lets it go on, which may be called twice.
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
  // The first of them makes the others, so that none is made between.
  const pids = [...(main ? [main] : []), ...others].map(({ pid }) => pid);
  const send = (signal: NodeJS.Signals) => {
    for (const pid of pids) {
      try {
        process.kill(pid, signal);
      } catch {
        // A backend that has ended since.
      }
    }
  };
  send('SIGSTOP');
  return () => send('SIGCONT');
}
