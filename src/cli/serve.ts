import cluster from 'node:cluster';
import type { Config } from '../config.ts';

/** Serves until SIGTERM or SIGINT. Then finishes the requests under way, closes the database and exits with 0. */
export async function serve(config: Config): Promise<void> {
  // A primary starts its workers by the command by which it was started itself.
  if (cluster.isWorker) await (await import('./serve-as-worker.ts')).serveAsWorker(config);
  else if (config.workers > 1) await (await import('./serve-with-workers.ts')).serveWithWorkers(config);
  else await (await import('./serve-alone.ts')).serveAlone(config);
}
