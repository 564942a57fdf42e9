import { after, before, describe } from 'node:test';
import type { Lifetime, TestEngine } from './engines.ts';
import { type Differences, type RunningService, startService } from './service.ts';

/**
 * A suite on one service that all of its tests share. The suite is nested, so that the service starts before the
 * suite's own hooks and stops after them, even when a hook fails.
 */
export function describeOnService(
  engine: TestEngine,
  title: string,
  suite: (service: () => RunningService) => void,
  settings: Record<string, string> | ((t: Lifetime) => Promise<Record<string, string>>) = {},
  differences: Differences = {},
): void {
  let service: RunningService | undefined;
  const atTheEnd: (() => unknown)[] = [];
  const lifetime: Lifetime = {
    after: (work) => {
      if (typeof work === 'function') atTheEnd.push(() => Reflect.apply(work, undefined, []));
    },
  };
  before(async () => {
    const given = typeof settings === 'function' ? await settings(lifetime) : settings;
    service = await startService(lifetime, engine, given, differences);
  });
  // More at once would only wait for one another, on a busy machine for longer than a request may.
  describe(title, { concurrency: 16 }, () =>
    suite(() => {
      if (!service) throw new Error('The service starts with the first test.');
      return service;
    }),
  );
  after(async () => {
    for (const work of atTheEnd) await work();
  });
}
