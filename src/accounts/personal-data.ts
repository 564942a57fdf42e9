import type { ReadOperation, WriteOperation } from '../store/operation.ts';
import type { ClosingContent } from './tables.ts';

/** An account that is being removed. */
export interface Removal {
  readonly userId: number;
  readonly content: ClosingContent;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Where a page of a section begins: what the page before said, and empty for the first. */
export type Cursor = readonly (string | number)[];

export interface SectionRequest {
  readonly userId: number;
  readonly after: Cursor;
}

/** Some of what there is, as the owner gets it: without secrets, with times in ISO 8601. */
export interface SectionPage {
  readonly items: readonly object[];
  /** Undefined at the end. */
  readonly next?: Cursor | undefined;
}

/** A list in the export of an account. */
export interface Section {
  /** The member of the document that has it. */
  readonly name: string;
  readonly description: string;
  /** Whose rows it has. */
  readonly tables: readonly string[];
  /** A page is some hundred KiB at most, or one item. */
  readonly read: ReadOperation<SectionRequest, SectionPage>;
}

/** What a feature has of accounts: how it gives that up, and how it tells the owner (decisions 0064). */
export interface PersonalData {
  /**
   * Each removes some of what the feature has, in a few milliseconds, and resolves with true while there is more. What
   * refers to the account by a reference ON DELETE CASCADE, and is little, needs none.
   */
  readonly removals: readonly WriteOperation<Removal, boolean>[];
  readonly sections: readonly Section[];
}

/** The lock of every write that removes a part of an account. */
export const REMOVING = 'removing accounts';

/** A page of `rows`, of which one more than `most` was asked for. */
export function sectionPage<Row>(
  rows: readonly Row[],
  most: number,
  { toItem, cursorOf }: { toItem: (row: Row) => object; cursorOf: (row: Row) => Cursor },
): SectionPage {
  const shown = rows.slice(0, most);
  const last = shown.at(-1);
  const next = rows.length > most && last !== undefined ? cursorOf(last) : undefined;
  return { items: shown.map(toItem), next };
}
