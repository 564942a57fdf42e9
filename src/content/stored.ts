import { sql } from 'kysely';
import { Failure } from '../domain/failure.ts';
import { MINUTE_MS } from '../domain/time.ts';
import { lruOf } from '../services/lru.ts';
import type { Searches } from '../services/searches/searches.ts';
import { inTimeOn } from '../store/deadline.ts';
import { readOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';

const MIB = 1024 * 1024;
/** What an item takes beside its text, or however short its text is. */
const LEAST = 1024;
/** The sum is read anew after this time: other instances write too. */
const SUM_AGAIN_MS = 10 * MINUTE_MS;
/** Where there is no room it is read sooner: the owner may have deleted something. */
const FULL_AGAIN_MS = 10_000;
const ACCOUNTS = 50_000;

/** Bytes that the items of an account take, each at least `LEAST`. */
export const sumStored = readOperation(
  'content.sum_stored',
  async (db, { userId }: { userId: number }, engine): Promise<number> => {
    const bytes = sql<number>`octet_length(title) + octet_length(content)`;
    const { sum } = await db
      .selectFrom('content')
      .select(
        sql<number | null>`sum(case when ${bytes} > ${LEAST} then ${bytes} else ${LEAST} end)`.as('sum'),
      )
      .where('author_id', '=', userId)
      .where(inTimeOn(engine, sql`id`))
      .executeTakeFirstOrThrow();
    return Number(sum ?? 0);
  },
  () => true,
);

interface Known {
  /** When the sum was asked for, in milliseconds since 1970. */
  readonly at: number;
  readonly summed: Promise<void>;
  /** The sum, and what was written since. What was deleted since is found out where there is no room. */
  bytes: number;
}

/**
 * What an account may have stored (decisions 0048). The sum is known from one read in a while, and from what this
 * instance writes, so that a write costs the database nothing more.
 */
export class StoredBytes {
  readonly #store: Store;
  readonly #searches: Searches;
  readonly #most: number;
  readonly #known = lruOf<Known>(ACCOUNTS);

  /** 0 mebibytes is no bound. */
  constructor(store: Store, searches: Searches, mebibytes: number) {
    this.#store = store;
    this.#searches = searches;
    this.#most = mebibytes * MIB;
  }

  /** Counts a write with this content. Fails with `storage_full` where the account has stored all that it may. */
  async spend(userId: number, now: number, content: string): Promise<void> {
    if (this.#most === 0) return;
    const known = this.#current(userId, now);
    await known.summed;
    if (known.bytes >= this.#most) throw this.#full();
    known.bytes += Math.max(LEAST, Buffer.byteLength(content));
  }

  #current(userId: number, now: number): Known {
    const name = `account ${userId}`;
    const last = this.#known.get(name);
    if (last && now - last.at < (last.bytes < this.#most ? SUM_AGAIN_MS : FULL_AGAIN_MS)) return last;
    const summed = this.#searches
      .run({ name, isSignedIn: true }, () => this.#store.read(sumStored, { userId }))
      .catch((error: unknown) => {
        // There are millions of items then. The account has room, and the budgets of an hour bound it.
        if (error instanceof Failure && error.data.error === 'busy') return last?.bytes ?? 0;
        this.#known.delete(name);
        throw error;
      })
      .then((sum) => {
        known.bytes += sum;
      });
    const known: Known = { at: now, summed, bytes: 0 };
    this.#known.set(name, known);
    return known;
  }

  #full(): Failure {
    const message = `Your account has stored ${this.#most / MIB} MiB, which is all that it may; delete items first.`;
    return new Failure({ error: 'storage_full', message });
  }
}
