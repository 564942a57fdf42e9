import { type Selectable, sql } from 'kysely';
import { DELETED_ACCOUNT } from '../accounts/deleted-account.ts';
import { type LockedItem, lockItem } from '../content/change.ts';
import { changeItem } from '../content/change-item.ts';
import type { Past } from '../content/keep-version.ts';
import { dropPassedTimeBeside } from '../content/schedule.ts';
import { ITEM_BYTES } from '../content/stored.ts';
import { moderatesContent } from '../domain/account.ts';
import { ROW_LIMITS } from '../domain/limits.ts';
import { recordEvent } from '../services/audit/record.ts';
import { type Engine, readOperation, writeOperation } from '../store/operation.ts';
import { rowsWithin } from '../store/rows-within.ts';
import type { Db, Tables } from '../store/tables.ts';
import { type SavedDraft, savedDraft } from './find.ts';
import { databaseNow, readNow } from './now.ts';
import { publishBeside, publishItem } from './publish.ts';

/** Of each kind, the earliest that a look for what is due sees: those of several authors who have as many as they may. */
const LOOKED_AT = 4 * ROW_LIMITS.scheduledDrafts;
/** Bytes of the texts of one round, so that the next one, with what is due meanwhile, begins soon. */
const BYTES = 4 * 1024 * 1024;

/** An item that is due, or that has a draft that is. */
interface Due {
  readonly id: number;
  readonly authorId: number;
}

interface Found {
  readonly due: readonly Due[];
  readonly isMore: boolean;
}

/**
 * Some items whose time has come, or whose drafts' time has. Authors take turns, so that nobody waits for all drafts of
 * another; of those of one author the earliest comes first. The index of drafts has those in the trash too: `publishDue`
 * takes their time away, so that none is found twice.
 */
export const findDue = readOperation(
  'drafts.find_due',
  async (db, { limit }: { readonly limit: number }, engine): Promise<Found> => {
    const now = databaseNow(engine);
    const items = db
      .selectFrom('content')
      .select(['id', 'author_id as authorId', 'publish_at as at', ITEM_BYTES.as('bytes')])
      .where('publish_at', '<=', now)
      .where('trashed_at', 'is', null)
      .orderBy('publish_at')
      .orderBy('id')
      .limit(LOOKED_AT);
    const besides = db
      .selectFrom('content_drafts as draft')
      .innerJoin('content', 'content.id', 'draft.content_id')
      .select(['content.id', 'content.author_id as authorId', 'draft.publish_at as at'])
      .select(sql<number>`${ITEM_BYTES} + octet_length(draft.written)`.as('bytes'))
      .where('draft.publish_at', '<=', now)
      .orderBy('draft.publish_at')
      .orderBy('draft.content_id')
      .limit(LOOKED_AT);
    const both = db
      .selectFrom(items.as('items'))
      .selectAll()
      .unionAll(db.selectFrom(besides.as('besides')).selectAll());
    const turns = db
      .selectFrom(both.as('due'))
      .select(['id', 'authorId', 'at', 'bytes'])
      .select(({ fn }) =>
        fn
          .agg<number>('row_number')
          .over((over) => over.partitionBy('authorId').orderBy('at').orderBy('id'))
          .as('turn'),
      );
    const found = await db
      .selectFrom(turns.as('turns'))
      .select(['id', 'authorId', 'bytes'])
      .orderBy('turn')
      .orderBy('at')
      .orderBy('id')
      .limit(limit + 1)
      .execute();
    const due = rowsWithin(found.slice(0, limit), BYTES);
    return { due, isMore: due.length < found.length };
  },
);

/** Whose stored bytes the write changed, and by how much. */
type Published = Pick<Due, 'authorId'> & { readonly added: number };

/**
 * Publishes what is due of an item, if its author, and the editor who saved it last, still may (of "deleted account",
 * only the editor counts). Otherwise it stays a draft, has no time any more, and an event says why. Does nothing where
 * another instance was first: the item is locked, and what is due is asked again.
 */
export const publishDue = writeOperation(
  'drafts.publish_due',
  async (
    db,
    { id, authorId, past }: Due & { readonly past: Past | undefined },
    engine,
  ): Promise<Published | undefined> => {
    // Before the item, as every write of a caller locks its account.
    const author = await db
      .selectFrom('users')
      .select(['id', 'username_key', 'visible', 'disabled_at'])
      .where('id', '=', authorId)
      .forShare()
      .executeTakeFirst();
    const item = await lockItem(db, id);
    const now = await readNow(db, engine);
    if (!item) await dropPassedTimeBeside(db, id, now);
    if (item?.author_id !== authorId) return undefined;
    const draft = item.status === 'published' ? await savedDraft(db, id) : undefined;
    const publishAt = draft ? draft.publish_at : item.publish_at;
    if (publishAt === null || publishAt > now) return undefined;
    const by = draft?.saved_by ?? item.changed_by ?? item.author_id;
    const mayPublish = author !== undefined && (await mayPublishNow(db, author, by));
    const isOver = !draft || draft.over_version === item.version;
    if (!mayPublish || !isOver) {
      const because = mayPublish ? 'version_conflict' : 'account';
      const detail = { item: String(id), because };
      await recordEvent(db, {
        event: 'publication_dropped',
        at: now,
        origin: null,
        accountId: authorId,
        detail,
      });
      return { authorId, added: await dropTime(db, engine, { item, draft, now, past }) };
    }
    const { added } = draft
      ? await publishBeside(db, engine, item, draft, { by, now, past })
      : await publishItem(db, engine, item, { by, now, past });
    return { authorId, added };
  },
);

type Account = Pick<Selectable<Tables['users']>, 'visible' | 'disabled_at'>;

function isActive(account: Account): boolean {
  return account.visible === 1 && account.disabled_at === null;
}

type Author = Account & Pick<Selectable<Tables['users']>, 'id' | 'username_key'>;

/** "deleted account" is never active. Its items are published for editors and admins, who can still change them. */
async function mayPublishNow(db: Db, author: Author, by: number): Promise<boolean> {
  if (author.username_key === DELETED_ACCOUNT) return stillModerates(db, by);
  return isActive(author) && (by === author.id || (await stillModerates(db, by)));
}

/**
 * An editor who saved it may have lost the right since. Read without a lock, because the item is locked already: a
 * change of the account that commits at the same moment comes after.
 */
async function stillModerates(db: Db, id: number): Promise<boolean> {
  const account = await db
    .selectFrom('users')
    .select(['visible', 'disabled_at', 'role'])
    .where('id', '=', id)
    .executeTakeFirst();
  return account !== undefined && isActive(account) && moderatesContent(account.role);
}

interface Dropping {
  readonly item: LockedItem;
  /** Undefined where the item is the draft. */
  readonly draft: SavedDraft | undefined;
  readonly now: number;
  readonly past: Past | undefined;
}

/** Returns the bytes that it added. */
async function dropTime(db: Db, engine: Engine, { item, draft, now, past }: Dropping): Promise<number> {
  if (draft) {
    await dropPassedTimeBeside(db, item.id, now);
    return 0;
  }
  const by = item.changed_by ?? item.author_id;
  return (await changeItem(db, engine, item, { columns: { publish_at: null }, by, now, past })).added;
}
