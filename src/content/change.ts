import { type Caller, moderatesContent } from '../domain/account.ts';
import { forbidden, notFound } from '../domain/failure.ts';
import type { Db } from '../store/tables.ts';

/**
 * The rule for changing and deleting: the author, an editor or an admin (decisions 0008). Asked inside the
 * write that it guards; the item stays as it is until that ends. Fails with `not_found` or `forbidden`.
 */
export async function requireChangeable(db: Db, id: number, caller: Caller): Promise<void> {
  const item = await db
    .selectFrom('visible_content')
    .select('author_id')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!item) throw notFound('content item');
  if (item.author_id !== caller.userId && !moderatesContent(caller.role)) {
    throw forbidden('Only the author, an editor or an admin may do this.');
  }
}
