import { type Lifetime, sameDatabase, type TestEngine } from './engines.ts';
import { type Differences, type RunningService, startService } from './service.ts';

/** Instances of the service on one database, with one clock that only the test moves. */
export interface Fleet {
  /** Two on PostgreSQL; on SQLite, which serves one process at a time, one. */
  readonly size: number;
  /** An instance by any number, modulo `size`. */
  readonly instance: (index: number) => RunningService;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly passTime: (milliseconds: number) => void;
  /** Stops an instance and starts it again, so that it has forgotten all that is not in the database. */
  readonly restart: (index: number) => Promise<void>;
}

export async function startFleet(
  t: Lifetime,
  engine: TestEngine,
  differences: Pick<Differences, 'wrap'> = {},
): Promise<Fleet> {
  const database = await sameDatabase(t, engine);
  let now = Date.UTC(2030, 0, 1);
  const start = () => startService(t, database, {}, { ...differences, clock: () => now });
  const size = engine.name === 'PostgreSQL' ? 2 : 1;
  const services: RunningService[] = [];
  for (let index = 0; index < size; index++) services.push(await start());
  const instance = (index: number) => {
    const service = services[index % size];
    if (!service) throw new Error('There is no instance.');
    return service;
  };
  return {
    size,
    instance,
    now: () => now,
    passTime: (milliseconds) => {
      now += milliseconds;
    },
    restart: async (index) => {
      await instance(index).stop();
      services[index % size] = await start();
    },
  };
}
