import { MINUTE_MS } from '../domain/time.ts';
import { writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';

/** Tokens in one write: a few milliseconds. */
const BATCH = 500;
/** Some 100 bytes each. Of more than this within a minute, the last use is not kept. */
const REMEMBERED = 20_000;

interface Uses {
  readonly ids: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Keeps when some personal access tokens were last used. */
export const recordUses = writeOperation(
  'sessions.record_uses',
  async (db, minutes: readonly Uses[]): Promise<void> => {
    for (const { ids, at } of minutes) {
      await db
        .updateTable('personal_tokens')
        .set({ last_used_at: at })
        .where('session_id', 'in', ids)
        .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', at)]))
        .execute();
    }
  },
  { isBackground: true },
);

/** The last use of personal access tokens, to the minute. It is written once a minute, so that no read becomes a write. */
export class PersonalTokenUses {
  /** The minute of the last use, by the id of the token. */
  readonly #minutes = new Map<string, number>();

  note(id: string, now: number): void {
    if (this.#minutes.size < REMEMBERED || this.#minutes.has(id))
      this.#minutes.set(id, now - (now % MINUTE_MS));
  }

  /** Writes some of them; true when there are more. */
  async write(store: Store): Promise<boolean> {
    const some = [...this.#minutes].slice(0, BATCH);
    if (some.length === 0) return false;
    const byMinute = Map.groupBy(some, ([, minute]) => minute);
    const minutes = [...byMinute].map(([at, uses]) => ({ at, ids: uses.map(([id]) => id) }));
    await store.write(recordUses, minutes);
    for (const [id, minute] of some) if (this.#minutes.get(id) === minute) this.#minutes.delete(id);
    return some.length === BATCH;
  }
}
