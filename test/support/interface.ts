import { after, before, describe } from 'node:test';
import { type Lifetime, onEveryEngine, type TestEngine } from './engines.ts';
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
  if (running === undefined) onEveryEngine(title, (engine) => onService(engine, title, suite));
  else describe(title, { concurrency: true }, () => suite({ url: running.replace(/\/+$/, '') }));
}

/**
 * One service for the whole suite, which is nested so that the service starts before the suite's own
 * hooks and stops after them, even when one of them fails.
 */
function onService(engine: TestEngine, title: string, suite: (base: Base) => void): void {
  const base = { url: '' };
  const atTheEnd: (() => unknown)[] = [];
  const lifetime: Lifetime = {
    after: (work) => {
      if (typeof work === 'function') atTheEnd.push(() => Reflect.apply(work, undefined, []));
    },
  };
  before(async () => {
    base.url = (await startService(lifetime, engine)).url;
  });
  describe(title, { concurrency: true }, () => suite(base));
  after(async () => {
    for (const work of atTheEnd.reverse()) await work();
  });
}
