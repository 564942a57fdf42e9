import { sql } from 'kysely';
import { deletedAccount } from '../accounts/deleted-account.ts';
import {
  type PersonalData,
  pageOfItems,
  type Removal,
  type SectionRequest,
} from '../services/personal-data.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { rowsWithin } from '../store/rows-within.ts';
import type { Db } from '../store/tables.ts';
import { membersOfDraft } from './members.ts';

/** One write changes this many rows at most, and about so many bytes of text: SQLite writes a whole row anew. */
const ROWS = 100;
const BYTES = 1024 * 1024;

const BYTES_OF_DRAFT = sql<number>`octet_length(written)`;

/** The drafts that an account saved beside the items of others were saved by "deleted account". */
export const removeSaver = writeOperation(
  'drafts.remove_saver',
  async (db, { userId, now }: Removal, engine): Promise<boolean> => {
    await engine.lock(db, 'removing accounts');
    const drafts = await db
      .selectFrom('content_drafts')
      .select(['content_id as id', BYTES_OF_DRAFT.as('bytes')])
      .where('saved_by', '=', userId)
      .limit(ROWS)
      .execute();
    if (drafts.length === 0) return false;
    const ids = rowsWithin(drafts, BYTES).map(({ id }) => id);
    const saved_by = await deletedAccount(db, now);
    const mine = db
      .updateTable('content_drafts')
      .where('content_id', 'in', ids)
      .where('saved_by', '=', userId);
    await mine.set({ saved_by }).execute();
    return true;
  },
  { isBackground: true },
);

/**
 * The drafts beside an account's items. SQLite reads a cross join from left to right, so a page goes on in the index of
 * the items.
 */
export const exportDrafts = readOperation('drafts.export', async (db, request: SectionRequest) => {
  const own = db
    .selectFrom('content')
    .crossJoin('content_drafts')
    .select(['content.id', BYTES_OF_DRAFT.as('bytes')])
    .whereRef('content_drafts.content_id', '=', 'content.id')
    .where('content.author_id', '=', request.userId);
  return pageOfItems(request, own, (ids) => itemsOf(db, ids));
});

async function itemsOf(db: Db, ids: readonly number[]): Promise<object[]> {
  const drafts = await db
    .selectFrom('content_drafts')
    .selectAll()
    .where('content_id', 'in', ids)
    .orderBy('content_id')
    .execute();
  return drafts.map(({ content_id, ...draft }) => ({ content_id, ...membersOfDraft(draft) }));
}

export const draftPersonalData: PersonalData = {
  removals: [removeSaver],
  sections: [
    {
      name: 'content_drafts',
      description: 'What the drafts beside these items have otherwise.',
      tables: ['content_drafts'],
      read: exportDrafts,
    },
  ],
};
