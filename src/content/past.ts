import { setTimeout as pause } from 'node:timers/promises';
import { Thread } from '../domain/thread.ts';
import { readOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import { LONG_BYTES } from './delta.ts';
import { type HistoryRequest, requireHistory } from './history.ts';
import type { Past } from './keep-version.ts';
import { selectWithDrafts } from './visibility.ts';

/** Deltas that are made at once, each of two texts in memory; with more, the next texts are kept whole. */
const AT_ONCE = 8;
/**
 * A delta that takes longer is not waited for, and its text is kept whole: nobody can make others wait for long. The first
 * one waits for the start of the thread, which took more than a second on a busy machine.
 */
const PATIENCE_MS = 3_000;

interface Texts {
  readonly base: string;
  readonly text: string;
}

const thread = new Thread<Texts, string | undefined>(new URL('./delta-thread.ts', import.meta.url), {
  limit: AT_ONCE,
  accepts: (delta) => delta === undefined || typeof delta === 'string',
  keepsAlive: false,
});
let atOnce = 0;

/** A long text with its version, and the base of the version before. */
interface LongText extends Texts {
  readonly version: number;
  readonly baseVersion: number;
}

/** Undefined where the text is short, or where no earlier version is a base. Fails with `not_found` or `forbidden`. */
export const readLongText = readOperation(
  'content.read_long_text',
  async (db, request: HistoryRequest): Promise<LongText | undefined> => {
    const { version, bytes } = await requireHistory(db, request);
    if (bytes <= LONG_BYTES) return undefined;
    const base = await lastBase(db, request.id);
    const item = await selectWithDrafts(db)
      .select('content as text')
      .where('id', '=', request.id)
      .where('version', '=', version)
      .executeTakeFirst();
    return base && item && { ...base, ...item, version };
  },
);

/** The base of the last version, or the last version itself where it is long and whole. */
async function lastBase(db: Db, id: number): Promise<Pick<LongText, 'base' | 'baseVersion'> | undefined> {
  const versions = db.selectFrom('content_versions').where('content_id', '=', id);
  const last = await versions
    .select(['version', 'base', 'bytes'])
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!last || (last.base === null && last.bytes <= LONG_BYTES)) return undefined;
  const baseVersion = last.base ?? last.version;
  const whole = await versions.select('content').where('version', '=', baseVersion).executeTakeFirst();
  return whole?.content == null ? undefined : { base: whole.content, baseVersion };
}

/**
 * How the text of an item can be kept that a change is about to replace. Undefined where it is to be kept whole. Made
 * before the write, because a delta of a mebibyte takes tens of milliseconds. Fails with `not_found` or `forbidden`.
 */
export async function pastOf(store: Store, request: HistoryRequest): Promise<Past | undefined> {
  if (atOnce >= AT_ONCE) return undefined;
  atOnce++;
  try {
    const long = await store.read(readLongText, request);
    if (!long) return undefined;
    const { base, text, baseVersion, version } = long;
    // Where the thread is busy or lost, the text is kept whole too.
    const made = thread.call({ base, text }).catch(() => undefined);
    const delta = await Promise.race([made, pause(PATIENCE_MS, undefined, { ref: false })]);
    return delta === undefined ? undefined : { version, base: baseVersion, delta };
  } finally {
    atOnce--;
  }
}

/** The same for a write that decides itself what is refused: undefined also where the text cannot be read. */
export function pastOrNone(store: Store, request: HistoryRequest): Promise<Past | undefined> {
  return pastOf(store, request).catch(() => undefined);
}
