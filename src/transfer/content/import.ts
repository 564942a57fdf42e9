import { changeItem } from '../../content/change-item.ts';
import { CONTENT_FIELDS } from '../../content/fields.ts';
import { claimFreeSlug, takenOf } from '../../content/slug-claim.ts';
import { ITEM_STORED } from '../../content/stored.ts';
import { withVisible } from '../../content/visibility.ts';
import { slugOf } from '../../domain/slug.ts';
import { columnsSetBy } from '../../store/fields.ts';
import { type Engine, writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { accountIdOf, noAccount } from './import-account.ts';
import { importDraft } from './import-draft.ts';
import { importSlugs } from './import-slugs.ts';
import { importedBefore, noteSources, type Source } from './import-sources.ts';
import type { PortableItem } from './portable-item.ts';

/** What was read of an item, and from where. */
export interface ReadItem extends PortableItem {
  /** SHA-256 of the place that it came from. */
  readonly source: string;
  /** SHA-256 of the bytes that were read. */
  readonly fingerprint: string;
}

/** The result for one item. What is `unchanged` was imported before, as it is. */
export type Imported = 'new' | 'changed' | 'unchanged' | { readonly refusal: string };

interface Batch {
  readonly items: readonly ReadItem[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Imports items for an operator: no session is asked for, and no limit of an account counts. An item whose source was
 * imported before is changed, or left alone where the same bytes were read. One that breaks a rule is refused, and the
 * others are imported.
 */
export const importItems = writeOperation(
  'transfer.import_items',
  async (db, { items, now }: Batch, engine): Promise<Imported[]> => {
    // Two imports of one folder must not both find that an item is new.
    await engine.lock(db, 'importing content');
    const known = await importedBefore(
      db,
      items.map(({ source }) => source),
    );
    const authors = new Map<string, number | undefined>();
    const written = new Map<string, Source>();
    const results: Imported[] = [];
    for (const item of items) {
      const { source, fingerprint } = item;
      const before = written.get(source) ?? known.get(source);
      if (!authors.has(item.author)) authors.set(item.author, await accountIdOf(db, item.author, now));
      const done = before
        ? await importAgain(db, engine, before, item, now)
        : await create(db, engine, item, { authorId: authors.get(item.author), now });
      if (done.id !== undefined) written.set(source, { source, fingerprint, content_id: done.id });
      results.push(done.result);
    }
    await noteSources(db, [...written.values()]);
    return results;
  },
);

/** What became of an item, with its id where what was read is in the database now. */
interface Done {
  readonly result: Imported;
  readonly id?: number;
}

async function importAgain(
  db: Db,
  engine: Engine,
  { content_id: id, fingerprint }: Source,
  item: ReadItem,
  now: number,
): Promise<Done> {
  if (fingerprint === item.fingerprint) return { result: 'unchanged' };
  const result = await change(db, engine, id, item, now);
  return typeof result === 'string' ? { result, id } : { result };
}

/** A slug that another item has gets a number. Where too many take it at once, a job names the item later. */
async function create(
  db: Db,
  engine: Engine,
  item: ReadItem,
  { authorId: author_id, now }: { readonly authorId: number | undefined; readonly now: number },
): Promise<Done> {
  if (author_id === undefined) return { result: { refusal: noAccount(item.author) } };
  const { createdAt: created_at = now, updatedAt: updated_at = created_at, oldSlugs = [], draft } = item;
  // So there is an earlier version that a draft is over.
  const version = draft?.isOverEarlier ? 2 : 1;
  const slug = (await claimFreeSlug(db, engine, item.row.slug ?? slugOf(item.row.title))) ?? null;
  const columns = withVisible({ ...item.row, slug, trashed_at: null });
  const { id } = await db
    .insertInto('content')
    .values({ ...columns, author_id, version, created_at, updated_at })
    .returning('id')
    .executeTakeFirstOrThrow();
  await importSlugs(db, engine, { id, slugs: oldSlugs, now });
  if (draft) await importDraft(db, { id, author_id, version, status: columns.status }, draft, now);
  return { result: 'new', id };
}

const WRITTEN = columnsSetBy(CONTENT_FIELDS, 'author');

/**
 * The item keeps its author, and keeps its slug where another item has the given one. Its earlier text is kept whole: a
 * delta is made before a write, and this is one of many.
 */
async function change(
  db: Db,
  engine: Engine,
  id: number,
  { row, staying, oldSlugs = [], draft }: ReadItem,
  now: number,
): Promise<Imported> {
  const item = await db
    .selectFrom('content')
    .select([
      'id',
      'author_id',
      'version',
      'updated_at',
      'changed_by',
      'slug',
      'status',
      'publish_at',
      'trashed_at',
    ])
    .select(ITEM_STORED.as('stored'))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (item.trashed_at !== null)
    return {
      refusal: `Its item ${id} is in the trash; restore it, or delete it for good, and import again.`,
    };
  // The slug of another item was numbered when this item was made.
  const isTaken = row.slug && row.slug !== item.slug && (await takenOf(db, [row.slug], id)).size > 0;
  const left = isTaken ? [...staying, 'slug'] : staying;
  const given = WRITTEN.filter((name) => !left.includes(name));
  const columns: Partial<typeof row> = Object.fromEntries(given.map((name) => [name, row[name]]));
  const change = { columns, by: item.author_id, now, past: undefined };
  const { version, status } = await changeItem(db, engine, item, change);
  const isReserved = await importSlugs(db, engine, { id, slugs: oldSlugs, now });
  const isSaved = draft !== undefined && (await importDraft(db, { ...item, version, status }, draft, now));
  return version === item.version && !isSaved && !isReserved ? 'unchanged' : 'changed';
}
