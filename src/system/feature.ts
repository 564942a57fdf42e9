import { performance } from 'node:perf_hooks';
import type { OpenFeature } from '../feature.ts';
import type { App } from '../http/server.ts';
import { figureOf } from './checks.ts';
import { Rates } from './rates.ts';
import { type SystemParts, systemRoutes } from './routes.ts';

/** The route, and the job that remembers the rates of the last minutes. */
export function openSystem(parts: Omit<SystemParts, 'rates'>): OpenFeature {
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
    systemRoutes(app, { ...parts, rates });
  };
  return { routes, jobs: [rates.job] };
}
