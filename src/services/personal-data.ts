import { type SelectQueryBuilder, sql } from 'kysely';
import type { ClosingContent } from '../domain/account.ts';
import { isoTime } from '../domain/time.ts';
import { type ReadOperation, readOperation, type WriteOperation } from '../store/operation.ts';
import { rowsAfter } from '../store/pages.ts';
import { rowsWithin } from '../store/rows-within.ts';
import type { Db } from '../store/tables.ts';

/** One page of an export has at most this many rows about items, and about this many bytes of their text. */
const PAGE_ROWS = 50;
const PAGE_BYTES = 256 * 1024;

/** An account that is being removed. */
export interface Removal {
  readonly userId: number;
  readonly content: ClosingContent;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Where a page of a section begins: a value from the page before, empty for the first. */
export type Cursor = readonly (string | number)[];

export interface SectionRequest {
  readonly userId: number;
  readonly after: Cursor;
}

/** Some rows as the owner gets them: without secrets, with times in ISO 8601. */
export interface SectionPage {
  readonly items: readonly object[];
  /** Undefined at the end. */
  readonly next?: Cursor | undefined;
}

/** A list in the export of an account. */
export interface Section {
  /** The member of the document that has the list. */
  readonly name: string;
  readonly description: string;
  /** The tables whose rows it has. */
  readonly tables: readonly string[];
  /** A page is some hundred KiB at most, or one item. */
  readonly read: ReadOperation<SectionRequest, SectionPage>;
}

/** The rows that a feature has about accounts: how it removes and exports them (docs/decisions/accounts.md). */
export interface PersonalData {
  /**
   * Each removes some of the rows in a few milliseconds, and resolves with true while more are left. Few rows that
   * refer to the account with ON DELETE CASCADE need no removal here. Each locks 'removing accounts'.
   */
  readonly removals: readonly WriteOperation<Removal, boolean>[];
  readonly sections: readonly Section[];
}

/** A section of few rows: links and names are bounded for each account, and so are its passkeys and invitations. */
export function exportFew<Row extends Readonly<Record<string, string | number | null>>>(
  name: string,
  rowsOf: (db: Db, userId: number) => Promise<Row[]>,
) {
  return readOperation(
    name,
    async (db, { userId }: SectionRequest): Promise<SectionPage> => ({
      items: (await rowsOf(db, userId)).map(withTimes),
    }),
  );
}

/**
 * A page of a section about the items of an account: first of the hidden ones, then of those that everybody may see. A
 * page has items of one kind, so that the database finds its beginning in the index at any depth. `own` selects the ids
 * of all of them from `content`, with the bytes of their texts.
 */
export async function pageOfItems<DB, Table extends keyof DB>(
  { after: [kind = 0, after = 0] }: SectionRequest,
  own: SelectQueryBuilder<DB, Table, { id: number; bytes: number }>,
  itemsOf: (ids: readonly number[]) => Promise<object[]>,
): Promise<SectionPage> {
  const visible = kind === 0 ? 0 : 1;
  const ofKind = own.where(sql.ref('content.visible'), '=', visible);
  const { rows, next } = await rowsAfter(ofKind, { key: 'content.id', after, most: PAGE_ROWS });
  const ids = rowsWithin(rows, PAGE_BYTES).map(({ id }) => id);
  const items = ids.length > 0 ? await itemsOf(ids) : [];
  if (next || ids.length < rows.length) return { items, next: [visible, ids.at(-1) ?? 0] };
  return visible === 0 ? { items, next: [1] } : { items };
}

/** The row with its times as texts, and without empty columns. */
export function withTimes(row: Readonly<Record<string, string | number | null>>): object {
  const known = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(
    known.map(([name, value]) => [name, typeof value === 'number' ? isoTime(value) : value]),
  );
}
