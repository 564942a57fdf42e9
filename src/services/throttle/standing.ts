import { hash } from 'node:crypto';
import { MINUTE_MS } from '../../domain/time.ts';
import { statement } from '../../store/statement.ts';
import type { Db } from '../../store/tables.ts';
import { type Bucket, freeIn, secondsUntilFree } from './bucket.ts';
import { KNOWN_MS, RENEW_MS } from './devices.ts';

/** Wrong passwords that are free, by whose they are (decisions 0041 has the reasons for the numbers). */
export const BUCKETS = {
  /** Of one account from one source. */
  pair: { free: 10, everyMs: MINUTE_MS },
  /** Of one source, over all accounts: an office behind one address stays below it. */
  source: { free: 300, everyMs: 12_000 },
  /** Of one account from all sources that never signed in to it. */
  strangers: { free: 100, everyMs: MINUTE_MS },
} as const satisfies Record<string, Bucket>;
type Kind = keyof typeof BUCKETS;

/** A device that signed in before is counted by itself alone, so that others cannot lock it out. */
const COUNTED = { known: ['pair'], stranger: ['pair', 'source', 'strangers'] } as const;

export interface Attempt {
  /** The account that the name leads to, if any. */
  readonly userId: number | undefined;
  /** The folded name or address; it stands for the account where there is none. */
  readonly login: string;
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What one wrong password adds to one bucket. */
export interface Debt {
  readonly key: string;
  readonly everyMs: number;
}

/** How whoever sends a password stands, before the password is looked at. */
export interface Standing {
  /** Has this source signed in to this account before? */
  readonly isKnown: boolean;
  /** Wrong passwords that are still free; below 1 none may be tried. */
  readonly free: number;
  /** Seconds until one is free again. */
  readonly retryAfter: number;
  /** The key of the device where a sign-in has to be remembered: it is new, or was last seen a day ago. */
  readonly newDevice: string | undefined;
  /** Attempts of one line can use up one another's mistakes (attempts.ts). */
  readonly line: string;
  /** What is owed if the password is wrong (`countMistake`). */
  readonly debts: readonly Debt[];
}

const readDebts = statement((db, keys: Record<Kind, string>) =>
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

/** The same work for a name that nobody has. */
export async function readStanding(db: Db, { userId, login, source, now }: Attempt): Promise<Standing> {
  const account = userId === undefined ? `login ${login}` : `id ${userId}`;
  const keys = {
    pair: throttleKey('pair', account, source),
    source: throttleKey('source', source),
    strangers: throttleKey('strangers', account),
  };
  const [debts, [device]] = await Promise.all([
    readDebts(db, keys),
    readDevice(db, { key: keys.pair, since: now - KNOWN_MS }),
  ]);
  const emptyAt = new Map(debts.map(({ key, empty_at }) => [key, empty_at]));
  const counted: readonly Kind[] = COUNTED[device ? 'known' : 'stranger'];
  const each = <Value>(measure: (bucket: Bucket, emptyAt: number) => Value) =>
    counted.map((kind) => measure(BUCKETS[kind], emptyAt.get(keys[kind]) ?? 0));
  return {
    isKnown: device !== undefined,
    free: Math.min(...each((bucket, time) => freeIn(bucket, time, now))),
    retryAfter: Math.max(...each((bucket, time) => secondsUntilFree(bucket, time, now))),
    newDevice: device && device.seen_at > now - RENEW_MS ? undefined : keys.pair,
    line: device ? keys.pair : keys.strangers,
    debts: counted.map((kind) => ({ key: keys[kind], everyMs: BUCKETS[kind].everyMs })),
  };
}

/** What else is counted in the same table. */
type Counted =
  | 'mail'
  | 'mail_source'
  | 'registration'
  | 'second_factor'
  | 'first_code'
  | 'factor_change'
  | 'passkey_addition'
  | 'passkey_sign_in'
  | 'token_creation'
  | 'password_change'
  | 'email_change'
  | 'name_change'
  | 'export';

/** A hash, so that the table holds neither names nor addresses. */
export function throttleKey(kind: Kind | Counted, ...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify([kind, ...parts]), 'base64url');
}
