import { after, before, describe } from 'node:test';
import { onEveryEngine, type TestEngine } from './engines.ts';
import { startService } from './service.ts';

/** Where the service under test is; known once the suite has begun. */
export interface Base {
  readonly url: string;
}

/**
 * Runs a suite that knows nothing but a base URL. With STOA_URL in the environment that is a running
 * server, which may hold data and have other users; without it, the service on each engine in turn.
 */
export function interfaceSuite(title: string, suite: (base: Base) => void): void {
  const running = process.env.STOA_URL;
  if (running === undefined) onEveryEngine(title, (engine) => suite(startedBefore(engine)));
  else describe(title, { concurrency: true }, () => suite({ url: running.replace(/\/+$/, '') }));
}

/** Starts one service for the whole suite and stops it at its end. */
function startedBefore(engine: TestEngine): Base {
  const base = { url: '' };
  const atTheEnd: (() => unknown)[] = [];
  const lifetime = {
    after: (work?: unknown) => void (typeof work === 'function' && atTheEnd.push(() => work())),
  };
  before(async () => {
    base.url = (await startService(lifetime, engine)).url;
  });
  after(async () => {
    for (const work of atTheEnd.reverse()) await work();
  });
  return base;
}
