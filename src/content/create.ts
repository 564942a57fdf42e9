import type { CallerInput } from '../accounts/caller-write.ts';
import type { Caller } from '../domain/account.ts';
import { tokenRevoked } from '../domain/failure.ts';
import { writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { ContentRow } from './contract.ts';
import { insertContent } from './insert.ts';

interface NewItem extends CallerInput {
  readonly title: string;
  readonly content: string;
  readonly category: string;
  readonly tags: readonly string[];
}

/**
 * Creates an item; only its id comes back, since the caller has the rest. A `callerWrite` in one
 * statement: it inserts nothing where the session no longer lives, and fails with `token_revoked`.
 */
export const createContent = writeOperation(
  'content.create',
  async (db, { caller, now, ...item }: NewItem, engine): Promise<{ id: number }> => {
    const { sessionId, userId } = caller;
    const row = { ...item, tags: JSON.stringify(item.tags), sessionId, userId, now };
    const inserted = await insertContent(db, row, engine);
    if (!inserted) throw tokenRevoked();
    return inserted;
  },
  { isOneStatement: true },
);

/** Creates an item and returns its row. */
export async function create(
  store: Store,
  { caller, ...item }: NewItem & { readonly caller: Omit<Caller, 'role'> },
): Promise<ContentRow> {
  const { sessionId, userId, username } = caller;
  const { id } = await store.write(createContent, { ...item, caller: { sessionId, userId } });
  return {
    id,
    title: item.title,
    content: item.content,
    category: item.category,
    tags: JSON.stringify(item.tags),
    version: 1,
    author_id: userId,
    author_name: username,
    created_at: item.now,
    updated_at: item.now,
  };
}
