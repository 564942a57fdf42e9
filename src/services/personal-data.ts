import type { ClosingContent } from '../domain/account.ts';
import { isoTime } from '../domain/time.ts';
import { type ReadOperation, readOperation, type WriteOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

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

/** The row with its times as texts, and without empty columns. */
export function withTimes(row: Readonly<Record<string, string | number | null>>): object {
  const known = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(
    known.map(([name, value]) => [name, typeof value === 'number' ? isoTime(value) : value]),
  );
}
