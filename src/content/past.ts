import type { Reading } from '../domain/metrics.ts';
import { LONG_BYTES } from '../services/deltas/delta.ts';
import { Deltas, type Texts } from '../services/deltas/deltas.ts';
import { readOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import { type HistoryRequest, requireHistory } from './history.ts';
import type { Past } from './keep-version.ts';
import { selectWithDrafts } from './visibility.ts';

/** Those of each service. */
const deltas = new WeakMap<Store, Deltas>();

function deltasOf(store: Store): Deltas {
  const ofStore = deltas.get(store) ?? new Deltas();
  deltas.set(store, ofStore);
  return ofStore;
}

/** For the metrics. */
export function deltaReadings(store: Store): readonly Reading[] {
  return deltasOf(store).readings;
}

/** A long text with its version, and the base of the version before. */
interface LongText extends Texts {
  readonly version: number;
  readonly baseVersion: number;
}

/** Is the text so long that a delta is made? Fails with `not_found` or `forbidden`. */
export const isLongText = readOperation(
  'content.is_long_text',
  async (db, request: HistoryRequest): Promise<boolean> =>
    (await requireHistory(db, request)).bytes > LONG_BYTES,
);

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
  if (!(await store.read(isLongText, request))) return undefined;
  const read = () => store.read(readLongText, request);
  // Where too many wait or the thread cannot start, the text is kept whole too.
  const made = await deltasOf(store)
    .inTurn(request.userId, read)
    .catch(() => undefined);
  return made && { version: made.version, base: made.baseVersion, delta: made.delta };
}

/** The same for a write that decides itself what is refused: undefined also where the text cannot be read. */
export function pastOrNone(store: Store, request: HistoryRequest): Promise<Past | undefined> {
  return pastOf(store, request).catch(() => undefined);
}
