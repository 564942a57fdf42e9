import type { newRow } from '../../content/create.ts';
import type { DraftColumns } from '../../drafts/find.ts';

/** An item in an import, after its rules were checked. */
export interface PortableItem {
  /** A user name or an e-mail address, in any spelling. */
  readonly author: string;
  readonly row: ReturnType<typeof newRow>;
  /** The columns of the row that were not given, and that a change of the item leaves as they are. */
  readonly staying: readonly string[];
  /** Milliseconds since 1970; undefined for the time of the import. */
  readonly createdAt: number | undefined;
  readonly updatedAt: number | undefined;
  /** Slugs that it had before, the oldest first. */
  readonly oldSlugs?: readonly string[] | undefined;
  /** The draft beside a published item. */
  readonly draft?: PortableDraft | undefined;
}

export interface PortableDraft {
  /** The columns that it has otherwise than the item. */
  readonly columns: DraftColumns;
  /** Milliseconds since 1970, or null for no time. */
  readonly publishAt: number | null;
  /** Milliseconds since 1970; undefined for the time of the import. */
  readonly savedAt: number | undefined;
  /** A user name or an e-mail address, in any spelling; undefined for the author of the item. */
  readonly savedBy: string | undefined;
  /** True where the item was changed since the draft was begun. */
  readonly isOverEarlier: boolean;
}

/** What was read breaks a rule. The message is a sentence for the author of the file. */
export class BadItem extends Error {
  /** From 1. */
  readonly line: number;

  constructor(message: string, line = 1) {
    super(message);
    this.line = line;
  }
}
