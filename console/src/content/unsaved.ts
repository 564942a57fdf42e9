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

/** What is written: an item, or a new one by a name of its editor, because two tabs may each write one. */
export type Place = number | `new.${string}`;

const keyOf = (account: number, place: Place) => `${PREFIX}${account}.${place}`;

/** Keeps a text. False where the browser has no room, or allows no storage. */
export function keepUnsaved(account: number, place: Place, unsaved: Unsaved): boolean {
  try {
    localStorage.setItem(keyOf(account, place), JSON.stringify(unsaved));
    return true;
  } catch {
    return false;
  }
}

export function dropUnsaved(account: number, place: Place): void {
  try {
    localStorage.removeItem(keyOf(account, place));
  } catch {
    // A browser without storage has nothing to remove.
  }
}

/** What the account left unsaved in this item, or last in a new one, in the last 30 days. */
export function findUnsaved(
  account: number,
  item: number | undefined,
): (Unsaved & { place: Place }) | undefined {
  const found = placesOf(account, item).flatMap((place) => {
    try {
      const unsaved = JSON.parse(localStorage.getItem(keyOf(account, place)) ?? '') as Unsaved;
      if (Date.now() - unsaved.at < KEPT_MS) return { ...unsaved, place };
      dropUnsaved(account, place);
    } catch {
      // What cannot be read is no text.
    }
    return [];
  });
  return found.sort((one, other) => other.at - one.at)[0];
}

function placesOf(account: number, item: number | undefined): Place[] {
  if (item !== undefined) return [item];
  try {
    const begin = keyOf(account, 'new.');
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(begin));
    return keys.map((key): Place => `new.${key.slice(begin.length)}`);
  } catch {
    return [];
  }
}
