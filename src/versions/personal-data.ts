import { sql } from 'kysely';
import { deletedAccount } from '../accounts/deleted-account.ts';
import { CONTENT_FIELDS, RESTORED } from '../content/fields.ts';
import { isoTime } from '../domain/time.ts';
import type { PersonalData, Removal, SectionPage, SectionRequest } from '../services/personal-data.ts';
import { membersOfVersion } from '../store/fields.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import { rowsAfter } from '../store/pages.ts';
import { rowsWithin } from '../store/rows-within.ts';
import type { Db } from '../store/tables.ts';
import { selectEarlier, textOf } from './earlier-text.ts';

/** One write changes this many rows at most, and about so many bytes of text: SQLite writes a whole row anew. */
const ROWS = 100;
const BYTES = 1024 * 1024;
/** A page of an export looks at this many items, and has this many versions and about so many bytes at most. */
const PAGE_ITEMS = 100;
const PAGE_VERSIONS = 50;
const PAGE_BYTES = 256 * 1024;

const written = membersOfVersion(CONTENT_FIELDS, 'author');

/** What an account changed of others becomes a change of "deleted account". */
export const removeEditor = writeOperation(
  'versions.remove_editor',
  async (db, { userId, now }: Removal, engine): Promise<boolean> => {
    await engine.lock(db, 'removing accounts');
    return (await leaveItems(db, userId, now)) || (await leaveVersions(db, userId, now));
  },
  { isBackground: true },
);

async function leaveItems(db: Db, userId: number, now: number): Promise<boolean> {
  const items = await db
    .selectFrom('content')
    .select(['id', sql<number>`octet_length(content)`.as('bytes')])
    .where('changed_by', '=', userId)
    .limit(ROWS)
    .execute();
  if (items.length === 0) return false;
  const ids = rowsWithin(items, BYTES).map(({ id }) => id);
  const changed_by = await deletedAccount(db, now);
  const mine = db.updateTable('content').where('id', 'in', ids).where('changed_by', '=', userId);
  await mine.set({ changed_by }).execute();
  return true;
}

async function leaveVersions(db: Db, userId: number, now: number): Promise<boolean> {
  const versions = await db
    .selectFrom('content_versions')
    .select(['content_id', 'version', 'bytes'])
    .where('changed_by', '=', userId)
    .limit(ROWS)
    .execute();
  if (versions.length === 0) return false;
  const changed_by = await deletedAccount(db, now);
  for (const { content_id, version } of rowsWithin(versions, BYTES))
    await db
      .updateTable('content_versions')
      .set({ changed_by })
      .where('content_id', '=', content_id)
      .where('version', '=', version)
      .execute();
  return true;
}

/** The earlier versions of an account's items: of the hidden ones first, as in the list of the items (`exportContent`). */
export const exportVersions = readOperation(
  'versions.export',
  async (db, { userId, after }: SectionRequest): Promise<SectionPage> => {
    const [kind = 0, item = 0, version = 0] = after.map(Number);
    const own = db
      .selectFrom('content')
      .select('id')
      .where('author_id', '=', userId)
      .where('visible', '=', kind === 0 ? 0 : 1);
    const { rows: items, next } = await rowsAfter(own, { key: 'id', after: item - 1, most: PAGE_ITEMS });
    const rows = await versionsOf(
      db,
      items.map(({ id }) => id),
      { item, version },
    );
    const page = rowsWithin(rows.slice(0, PAGE_VERSIONS), PAGE_BYTES);
    const exported = await toItems(db, page);
    const last = page.at(-1);
    if (last && page.length < rows.length)
      return { items: exported, next: [kind, last.content_id, last.version] };
    if (next) return { items: exported, next: [kind, next.id + 1, 0] };
    return kind === 0 ? { items: exported, next: [1, 0, 0] } : { items: exported };
  },
);

/** Which versions there are of these items, after one of them. */
async function versionsOf(db: Db, ids: readonly number[], after: { item: number; version: number }) {
  const most = PAGE_VERSIONS + 1;
  const versions = db.selectFrom('content_versions').select(['content_id', 'version', 'bytes']);
  // Asked apart: in one statement SQLite would read the versions of the item from its first one.
  const rest = ids.includes(after.item)
    ? await versions
        .where('content_id', '=', after.item)
        .where('version', '>', after.version)
        .orderBy('version')
        .limit(most)
        .execute()
    : [];
  const later = ids.filter((id) => id !== after.item);
  if (rest.length === most || later.length === 0) return rest;
  const others = versions.where('content_id', 'in', later).orderBy('content_id').orderBy('version');
  return [...rest, ...(await others.limit(most - rest.length).execute())];
}

async function toItems(db: Db, page: readonly { content_id: number; version: number }[]): Promise<object[]> {
  const items: object[] = [];
  for (const { content_id, version } of page) {
    const found = await selectEarlier(db, content_id, version)
      .select(RESTORED.map((name) => `version.${name}` as const))
      .select('version.changed_at')
      .executeTakeFirst();
    // Removed since the page was read: a short read has no snapshot on PostgreSQL.
    if (!found) continue;
    const { changed_at, ...row } = found;
    const members = written({ ...row, content: textOf(row) });
    items.push({ content_id, version, ...members, changed_at: isoTime(changed_at) });
  }
  return items;
}

export const versionPersonalData: PersonalData = {
  removals: [removeEditor],
  sections: [
    {
      name: 'content_versions',
      description: 'What these items were before each of their changes, as far as it is kept.',
      tables: ['content_versions'],
      read: exportVersions,
    },
  ],
};
