import { after, before, beforeEach, describe } from 'node:test';
import type { Lifetime, TestEngine } from './engines.ts';
import { observed } from './observed.ts';
import { execOn, type Place, placeAt } from './place.ts';
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

/** A running service with its clock, and with statements that its database runs as its operator would. */
export interface InTurn extends RunningService {
  readonly now: () => number;
  /** Several statements, whose rows nobody asks for. */
  readonly exec: (statements: string) => Promise<void>;
  readonly sql: Place['sql'];
  /** From now on until the end of the test, this is called before each operation of the store, as `observed` says. */
  readonly beforeOperations: (call: (operation: string) => unknown) => void;
}

/**
 * A suite on one service, whose tests run one after another, because what one of them does others would see. The clock
 * stands still until a test moves it.
 */
export function describeInTurn(
  engine: TestEngine,
  title: string,
  suite: (service: () => InTurn) => void,
  settings: Parameters<typeof describeOnService>[3] = {},
): void {
  let made: Promise<Record<string, string>> | undefined;
  const database = (t: Lifetime) => (made ??= engine.settings(t));
  let now = Date.UTC(2030, 0, 1);
  const nothing = (): unknown => undefined;
  let called: (operation: string) => unknown = nothing;
  const own = (service: RunningService): InTurn => ({
    ...service,
    now: () => now,
    passTime: (milliseconds) => {
      now += milliseconds;
    },
    exec: async (statements) => execOn((await made) ?? {}, statements),
    sql: async (...statements) => placeAt((await made) ?? {}).sql(...statements),
    beforeOperations: (call) => {
      called = call;
    },
  });
  describeOnService(
    { name: engine.name, settings: database },
    title,
    (service) =>
      describe('one after another', { concurrency: false }, () => {
        beforeEach(() => {
          called = nothing;
        });
        suite(() => own(service()));
      }),
    settings,
    {
      clock: () => now,
      wrap: (store) => observed(store, { before: (operation) => called(operation) }),
    },
  );
}
