import { type RawBuilder, sql } from 'kysely';
import type { FairQueue } from '../domain/admission/fair-queue.ts';
import { Failure } from '../domain/failure.ts';
import { MINUTE_MS } from '../domain/time.ts';
import type { Workers } from '../domain/workers.ts';
import { SumsOfWorkers } from '../services/limits/among-workers.ts';
import { lruOf } from '../services/lru.ts';
import { inTimeOn } from '../store/deadline.ts';
import { storedTexts } from '../store/fields-stored.ts';
import { readOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import { CONTENT_FIELDS, RESTORED } from './fields.ts';

const MIB = 1024 * 1024;
/** The fewest bytes that an item or a version counts. */
const LEAST = 1024;
/**
 * How many times the bytes of what indexes copy count for an item: of a category and of tags. One that is new is in
 * `content`, `content_tags`, `label_counts` and five indexes. With 32 of 64 characters, an item took 10 times their bytes
 * on SQLite, and 15 to 18 times on PostgreSQL.
 */
const COPIES = 16;
/** The sum is read again after this time, because other instances write too. */
const SUM_AGAIN_MS = 10 * MINUTE_MS;
/** The same where the database had no time for the sum. */
const PART_AGAIN_MS = 3 * MINUTE_MS;
/** With no room left, the sum is read sooner, because the owner may have deleted something. */
const FULL_AGAIN_MS = 10_000;
/** Below this part of the limit, no write waits for the sum to be read again. */
const AMPLE = 0.9;
const ACCOUNTS = 50_000;

const ONCE = storedTexts(CONTENT_FIELDS, 'author', 'once');
const COPIED = storedTexts(CONTENT_FIELDS, 'author', 'copied');

type Once = Parameters<typeof ONCE.bytesOf>[0];
type Stored = Once & Parameters<typeof COPIED.bytesOf>[0];

/** Bytes of an item, without what indexes copy: of the title, the content and `meta`, for example. */
export const ITEM_BYTES = ONCE.bytes;

/** The same of a row. */
export function itemBytes(row: Once): number {
  return ONCE.bytesOf(row);
}

/** Bytes that an item or a draft counts as. */
export function storedAs(bytes: number): number {
  return Math.max(LEAST, bytes);
}

/** Bytes that an item counts as. */
export const ITEM_STORED = atLeast(sql`${ONCE.bytes} + ${sql.lit(COPIES)} * (${COPIED.bytes})`);

/** The same of a row. */
export function itemStored(row: Stored): number {
  return storedAs(ONCE.bytesOf(row) + COPIES * COPIED.bytesOf(row));
}

const COUNTED = new Set<string>([...ONCE.names, ...COPIED.names]);
const OF_VERSION = [...RESTORED.filter((name) => COUNTED.has(name)), 'delta'];
/** Bytes that an earlier version counts as. No index has its texts, and the content may be in the delta. */
export const VERSION_STORED = atLeast(
  sql.join(
    OF_VERSION.map((name) => sql`coalesce(octet_length(${sql.ref(`content_versions.${name}`)}), 0)`),
    sql` + `,
  ),
);

/** Bytes that the items of an account, their earlier versions and the drafts beside them count as. */
export const sumStored = readOperation(
  'content.sum_stored',
  async (db, { userId }: { userId: number }, engine): Promise<number> => {
    const items = await db
      .selectFrom('content')
      .select(sumOf(ITEM_STORED).as('sum'))
      .where('author_id', '=', userId)
      .where(inTimeOn(engine, sql`id`))
      .executeTakeFirstOrThrow();
    const versions = await db
      .selectFrom('content')
      .innerJoin('content_versions', 'content_versions.content_id', 'content.id')
      .select(sumOf(VERSION_STORED).as('sum'))
      .where('author_id', '=', userId)
      .where(inTimeOn(engine, sql`(content_versions.content_id + content_versions.version)`))
      .executeTakeFirstOrThrow();
    const drafts = await db
      .selectFrom('content')
      .innerJoin('content_drafts as draft', 'draft.content_id', 'content.id')
      .select(sumOf(atLeast(sql`octet_length(draft.written)`)).as('sum'))
      .where('author_id', '=', userId)
      .where(inTimeOn(engine, sql`draft.content_id`))
      .executeTakeFirstOrThrow();
    return [items, versions, drafts].reduce((sum, each) => sum + Number(each.sum ?? 0), 0);
  },
  () => true,
);

function sumOf(bytes: RawBuilder<number>) {
  return sql<number | null>`sum(${bytes})`;
}

/** As `storedAs`. */
function atLeast(bytes: RawBuilder<unknown>) {
  const least = sql.lit(LEAST);
  return sql<number>`case when ${bytes} > ${least} then ${bytes} else ${least} end`;
}

interface Known {
  /** Milliseconds since 1970 when the sum was read. */
  readonly at: number;
  readonly summed: Promise<void>;
  /** The sum, and what was written since. Later deletions are noticed only when no room is left. */
  bytes: number;
  /** True where a sum was read, which may be an earlier one that left ample room. */
  isWhole: boolean;
}

interface Parts {
  readonly store: Store;
  readonly searches: FairQueue;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly workers?: Workers | undefined;
}

/**
 * The limit on what an account may have stored (docs/decisions/limits.md). The sum comes from an occasional read and
 * from the writes of this instance, so a write costs the database nothing more. A write is counted after it was made.
 * So concurrent writes may exceed the limit, at most by the bodies that a process takes at once.
 */
export class StoredBytes {
  readonly #parts: Parts;
  readonly #most: number;
  readonly #known = lruOf<Known>(ACCOUNTS);
  readonly #others: SumsOfWorkers | undefined;

  /** 0 mebibytes means no limit. */
  constructor(parts: Parts, mebibytes: number) {
    this.#parts = parts;
    this.#most = mebibytes * MIB;
    this.#others =
      parts.workers &&
      new SumsOfWorkers(parts.workers, 'stored', (_, userId, bytes) => this.#add(userId, bytes));
  }

  /**
   * Called before a write. Fails with `storage_full` if the account has stored all that it may, times the leeway of this
   * write, which is asked only of a full account.
   */
  async requireRoom(userId: number, leeway: () => Promise<number> = async () => 1): Promise<void> {
    if (this.#most === 0) return;
    const known = this.#current(userId);
    await known.summed;
    if (known.bytes >= this.#most && known.bytes >= this.#most * (await leeway())) throw this.#full();
  }

  /** Counts a write that was made. `bytes` is what it added to the items of the account, below 0 for fewer. */
  add(userId: number, bytes: number): void {
    this.#add(String(userId), bytes);
    this.#others?.note('bytes', userId, bytes);
  }

  #add(userId: string, bytes: number): void {
    const known = this.#known.get(userId);
    if (known) known.bytes = Math.max(0, known.bytes + bytes);
  }

  #current(userId: number): Known {
    const { store, searches, clock } = this.#parts;
    const [key, now] = [String(userId), clock()];
    const latest = this.#known.get(key);
    // If now is before `at`, the clock was set back.
    const last = latest && now >= latest.at ? latest : undefined;
    if (last && now - last.at < this.#trustedFor(last)) return last;
    const bytes = last?.bytes ?? 0;
    const hasRoom = last?.isWhole === true && bytes < this.#most * AMPLE;
    // Not under the name of the account's own searches: a write must not fail because many of them wait.
    const sum = searches
      .run({ name: `items of account ${userId}`, isSignedIn: true }, () => store.read(sumStored, { userId }))
      .then((sum) => {
        known.bytes += sum - bytes;
        known.isWhole = true;
      })
      .catch((error: unknown) => {
        // The account has millions of items, or many searches wait. The write is allowed, because the limits per hour still
        // bound it, and the sum is tried again later.
        if (error instanceof Failure && error.data.error === 'busy') return;
        this.#known.delete(key);
        if (!hasRoom) throw error;
      });
    const known = { at: now, summed: hasRoom ? Promise.resolve() : sum, bytes, isWhole: hasRoom };
    this.#known.set(key, known);
    return known;
  }

  #trustedFor({ isWhole, bytes }: Known): number {
    if (!isWhole) return PART_AGAIN_MS;
    return bytes < this.#most ? SUM_AGAIN_MS : FULL_AGAIN_MS;
  }

  #full(): Failure {
    const message = `Your account has stored ${this.#most / MIB} MiB, which is all that it may; delete items, also from the trash, first.`;
    return new Failure({ error: 'storage_full', message });
  }
}
