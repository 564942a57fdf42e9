import type { WriteOperation } from '../store/operation.ts';
import type { ClosingContent } from './tables.ts';

/** An account that is being removed. */
export interface Removal {
  readonly userId: number;
  readonly content: ClosingContent;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What a feature has of accounts, and how it gives that up (decisions 0064). */
export interface PersonalData {
  /**
   * Each removes some of what the feature has, in a few milliseconds, and resolves with true while there is more. What
   * refers to the account by a reference ON DELETE CASCADE, and is little, needs none.
   */
  readonly removals: readonly WriteOperation<Removal, boolean>[];
}

/** The lock of every write that removes a part of an account. */
export const REMOVING = 'removing accounts';
