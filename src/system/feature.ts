import { performance } from 'node:perf_hooks';
import type { Workers } from '../domain/workers.ts';
import type { OpenFeature } from '../feature.ts';
import type { App } from '../http/server.ts';
import { figureOf } from './checks.ts';
import { Rates } from './rates.ts';
import { type SystemParts, systemRoutes } from './routes.ts';
import { openWorkers } from './workers.ts';

interface Context extends Omit<SystemParts, 'rates' | 'readWorkers'> {
  /** Undefined where this process is the whole service. */
  readonly workers: Workers | undefined;
}

/** The route, and the job that remembers the rates of the last minutes. */
export function openSystem({ workers, ...parts }: Context): OpenFeature {
  const readWorkers = openWorkers(workers, parts.figures.startedAt);
  let totals = { requests: 0, serverErrors: 0 };
  const rates = new Rates(() => ({
    requests: totals.requests,
    server_errors: totals.serverErrors,
    passwords: figureOf(parts.figures.readings(), 'stoa_hashing_jobs_total') ?? 0,
    worked: performance.eventLoopUtilization().active,
    memory_bytes: process.memoryUsage.rss(),
  }));
  const routes = (app: App) => {
    totals = app.requestTotals;
    systemRoutes(app, { ...parts, rates, readWorkers });
  };
  return { routes, jobs: [rates.job] };
}
