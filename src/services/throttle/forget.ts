import type { Job } from '../../domain/jobs.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import { writeOperation } from '../../store/operation.ts';
import type { Store } from '../../store/store.ts';
import type { Db } from '../../store/tables.ts';
import { KNOWN_MS } from './devices.ts';

/** Rows removed in one write: some milliseconds. */
const BATCH = 500;
/**
 * Rows that may be left. Each costs whoever makes it a password hash, so that what comes between two runs is
 * bounded too.
 */
const MOST_DEBTS = 200_000;

interface Forgetting {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly mostDebts: number;
  readonly limit: number;
}

/** Removes some rows that say nothing any more, and of too many those that soon will; returns how many. */
export const forget = writeOperation(
  'throttle.forget',
  async (db, input: Forgetting, engine): Promise<number> => {
    await engine.lock(db, 'throttle');
    return (await forgetDebts(db, input)) + (await forgetDevices(db, input));
  },
  { isBackground: true },
);

async function forgetDebts(db: Db, { now, mostDebts, limit }: Forgetting): Promise<number> {
  const { count } = await db
    .selectFrom('guess_debts')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const tooMany = Number(count) - mostDebts;
  const first = await db
    .selectFrom('guess_debts')
    .select(['key', 'empty_at'])
    .orderBy('empty_at')
    .limit(limit)
    .execute();
  const gone = first.filter(({ empty_at }, index) => empty_at <= now || index < tooMany);
  const keys = gone.map(({ key }) => key);
  if (keys.length > 0) await db.deleteFrom('guess_debts').where('key', 'in', keys).execute();
  return keys.length;
}

async function forgetDevices(db: Db, { now, limit }: Forgetting): Promise<number> {
  const gone = await db
    .selectFrom('known_devices')
    .select('key')
    .where('seen_at', '<=', now - KNOWN_MS)
    .orderBy('seen_at')
    .limit(limit)
    .execute();
  const keys = gone.map(({ key }) => key);
  if (keys.length > 0) await db.deleteFrom('known_devices').where('key', 'in', keys).execute();
  return keys.length;
}

/** Runs `forget` each minute, until nothing is left for it. */
export function forgettingJob(store: Store, clock: () => number): Job {
  const run = async () => {
    const forgotten = await store.write(forget, { now: clock(), mostDebts: MOST_DEBTS, limit: BATCH });
    return forgotten >= BATCH;
  };
  return { name: 'forgetting wrong passwords', every: MINUTE_MS, run };
}
