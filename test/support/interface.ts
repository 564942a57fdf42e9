import { describe } from 'node:test';
import { onEveryEngine } from './engines.ts';
import { describeOnService } from './suite.ts';

/** Where the service under test is. The URL is known when the first test begins. */
export interface Base {
  readonly url: string;
}

/**
 * Runs a suite that knows nothing but a base URL. With STOA_URL in the environment that is a running
 * server, which may hold data and have other users; without it, the service on each engine in turn, or on the engines
 * that `onEngines` chooses.
 */
export function interfaceSuite(title: string, suite: (base: Base) => void, onEngines = onEveryEngine): void {
  const running = process.env.STOA_URL;
  if (running !== undefined) {
    describe(title, { concurrency: true }, () => suite({ url: running.replace(/\/+$/, '') }));
    return;
  }
  onEngines(title, (engine) =>
    describeOnService(engine, title, (service) =>
      suite({
        get url() {
          return service().url;
        },
      }),
    ),
  );
}
