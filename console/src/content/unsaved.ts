import type { Written } from './written.ts';

/** What was typed and not saved, kept in the browser for the account that typed it. */
export interface Unsaved {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The entity tag of what was changed; undefined for a new item. */
  readonly tag: string | undefined;
  /** The members that were changed. */
  readonly written: Partial<Written>;
}

const PREFIX = 'stoa.unsaved.';
const KEPT_MS = 30 * 24 * 3_600_000;

const keyOf = (account: number, item: number | undefined) => `${PREFIX}${account}.${item ?? 'new'}`;

/** Keeps a text. False where the browser has no room, or allows no storage. */
export function keepUnsaved(account: number, item: number | undefined, unsaved: Unsaved): boolean {
  try {
    localStorage.setItem(keyOf(account, item), JSON.stringify(unsaved));
    return true;
  } catch {
    return false;
  }
}

export function dropUnsaved(account: number, item: number | undefined): void {
  try {
    localStorage.removeItem(keyOf(account, item));
  } catch {
    // A browser without storage has nothing to remove.
  }
}

/** What the account left unsaved in this item in the last 30 days. */
export function findUnsaved(account: number, item: number | undefined): Unsaved | undefined {
  try {
    const kept = localStorage.getItem(keyOf(account, item));
    if (kept === null) return undefined;
    const unsaved = JSON.parse(kept) as Unsaved;
    if (Date.now() - unsaved.at < KEPT_MS) return unsaved;
    dropUnsaved(account, item);
  } catch {
    // What cannot be read is no text.
  }
  return undefined;
}
