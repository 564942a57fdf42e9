import { type Rate, SHARED_LIMITS } from '../../domain/limits.ts';
import { writeOperation } from '../../store/operation.ts';
import { statement } from '../../store/statement.ts';
import type { Db } from '../../store/tables.ts';
import { everyMs, FULLEST, leftIn, secondsUntilFree } from './bucket.ts';
import { KNOWN_MS, RENEW_MS } from './devices.ts';
import { add, type Charge, keyOf } from './shared.ts';

/** The limits that a wrong password counts for. Others cannot lock out a device that signed in before. */
const COUNTED = { known: ['pair'], stranger: ['pair', 'source', 'strangers'] } as const;
type Limit = (typeof COUNTED.stranger)[number];

export interface Attempt {
  /** The account of the name, if there is one. */
  readonly userId: number | undefined;
  /** The folded name or address. It is counted instead of the account if there is none. */
  readonly login: string;
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What an attempt to sign in may do, before its password is checked. */
export interface Allowance {
  /** Has this source signed in to this account before? */
  readonly isKnown: boolean;
  /** Wrong passwords that are left. Below 1 no password may be tried. */
  readonly left: number;
  /** Seconds until one more is free, and the limit that takes so long. */
  readonly retryAfter: number;
  readonly limit: Limit;
  /** The key of the device if the sign-in has to be stored: the device is new, or was last seen a day ago. */
  readonly newDevice: string | undefined;
  /** Attempts with the same key share limits: a known device, or all unknown devices of an account (attempts.ts). */
  readonly line: string;
  /** What is counted if the password is wrong (`countMistake`). */
  readonly charges: readonly Charge[];
}

const readBuckets = statement((db, keys: Record<Limit, string>) =>
  db
    .selectFrom('guess_debts')
    .select(['key', 'empty_at'])
    .where('key', 'in', [keys.pair, keys.source, keys.strangers]),
);

const readDevice = statement((db, input: { key: string; since: number }) =>
  db
    .selectFrom('known_devices')
    .select('seen_at')
    .where('key', '=', input.key)
    .where('seen_at', '>', input.since),
);

/** A name without an account takes the same work. */
export async function readAllowance(db: Db, { userId, login, source, now }: Attempt): Promise<Allowance> {
  const account = userId === undefined ? `login ${login}` : `id ${userId}`;
  const keys = {
    pair: keyOf('pair', [account, source]),
    source: keyOf('source', source),
    strangers: keyOf('strangers', account),
  };
  const [buckets, [device]] = await Promise.all([
    readBuckets(db, keys),
    readDevice(db, { key: keys.pair, since: now - KNOWN_MS }),
  ]);
  const emptyAt = new Map(buckets.map(({ key, empty_at }) => [key, empty_at]));
  const counted: readonly Limit[] = COUNTED[device ? 'known' : 'stranger'];
  const states = counted.map((limit) => {
    const [rate, time] = [SHARED_LIMITS[limit], emptyAt.get(keys[limit]) ?? 0];
    return { limit, left: leftIn(rate, time, now), retryAfter: secondsUntilFree(rate, time, now) };
  });
  const last = states.reduce((one, other) => (other.retryAfter > one.retryAfter ? other : one));
  return {
    isKnown: device !== undefined,
    left: Math.min(...states.map(({ left }) => left)),
    retryAfter: last.retryAfter,
    limit: last.limit,
    newDevice: device && device.seen_at > now - RENEW_MS ? undefined : keys.pair,
    line: device ? keys.pair : keys.strangers,
    charges: counted.map((limit) => chargeOf(SHARED_LIMITS[limit], keys[limit])),
  };
}

function chargeOf(rate: Rate, key: string): Charge {
  return { key, everyMs: everyMs(rate), withinMs: rate.withinMs };
}

interface Mistake {
  readonly charges: readonly Charge[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Counts a wrong password for all of its limits, in the order of their keys, so that two writes never deadlock. It is a
 * transaction of its own on PostgreSQL too. In a group of statements, those of other users would wait for the rows of
 * an account under attack.
 */
export const countMistake = writeOperation(
  'limits.count_mistake',
  async (db, { charges, now }: Mistake): Promise<void> => {
    const sorted = charges.toSorted((one, other) => (one.key < other.key ? -1 : 1));
    for (const charge of sorted) await add(db, charge, FULLEST * charge.withinMs, now).execute();
  },
);
