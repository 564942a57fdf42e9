import type { Static } from 'typebox';
import type { Caller } from '../domain/account.ts';
import { type OnceKey, once } from '../services/idempotency/once.ts';
import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import type { Store } from '../store/store.ts';
import type { ContentInput } from './body-contract.ts';
import type { ContentRow } from './contract.ts';
import { insertNamed, madeRow, type NewItem, newRow } from './create.ts';

interface OnceInput extends CallerInput {
  readonly key: OnceKey;
  readonly row: ReturnType<typeof newRow>;
}

/** What the record of a new item has that does not follow from the request. */
interface Kept {
  readonly made: Parameters<typeof madeRow>[0];
  readonly username: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Creates an item, unless an earlier write did so with the same key (`once`). */
export const createContentOnce = callerWrite(
  'content.create_once',
  (db, { key, row, caller: { sessionId, userId }, now }: OnceInput, { username }, engine) =>
    once(db, engine, { key, now }, async (): Promise<Kept> => {
      const made = await insertNamed(db, engine, { row, caller: { sessionId, userId }, now });
      return { made, username, at: now };
    }),
);

/** The same as `create`. Where the key was used before, the row is as that write answered it. */
export async function createOnce(
  store: Store,
  { caller, now, item }: NewItem,
  key: OnceKey,
): Promise<{ row: ContentRow; isNew: boolean }> {
  const { answer, isNew } = await store.write(createContentOnce, { key, row: newRow(item), caller, now });
  return { row: createdBefore(caller, item, answer), isNew };
}

/** The row of an item as it was created, by the same request and what was kept of its answer. */
export function createdBefore(
  { userId }: Pick<Caller, 'userId'>,
  item: Static<typeof ContentInput>,
  answer: string,
): ContentRow {
  const { made, username, at }: Kept = JSON.parse(answer);
  return madeRow(made, newRow(item), { userId, username, at });
}
