import type { Signal } from '@preact/signals';
import { onceKey } from './ask.ts';
import type { Written } from './written.ts';

/** What was typed and not saved, kept in the browser for the account that typed it. */
export interface Unsaved {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The entity tag of what was changed; undefined for a new item. */
  readonly tag: string | undefined;
  /** The members that were changed. */
  readonly written: Partial<Written>;
  /** What these members were before, but for the text. */
  readonly was?: Partial<Written>;
  /** What was sent of a new item without an answer so far: the service may have it. */
  readonly sent?: Written | undefined;
}

/** What an editor left behind, and where it is kept. */
export type Left = Unsaved & { readonly key: string };

const KEPT_MS = 30 * 24 * 3_600_000;
const PREFIX = 'stoa.unsaved.';

/**
 * Where an editor keeps its text: under a name of its own. What another editor of the item left, before a crash or in
 * another tab, stays there until the author has answered.
 */
export const keyOf = (account: number, item: number | undefined, editor: string) =>
  `${PREFIX}${account}.${item ?? 'new'}.${editor}`;

/** The last part of such a name. */
export const editorOf = (key: string) => key.slice(key.lastIndexOf('.') + 1);

/** Keeps a text. False where the browser has no room, or allows no storage. */
export function keepUnsaved(key: string, unsaved: Unsaved): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(unsaved));
    return true;
  } catch {
    return false;
  }
}

/** Keeps what was just replaced in an editor, under a name of its own, and offers it. */
export function offerReplaced(
  found: Signal<Left | undefined>,
  account: number,
  item: number | undefined,
  replaced: Pick<Unsaved, 'tag' | 'written'>,
): void {
  if (Object.keys(replaced.written).length === 0) return;
  const left = { ...replaced, at: Date.now(), key: keyOf(account, item, onceKey()) };
  keepUnsaved(left.key, left);
  found.value = left;
}

export function dropUnsaved(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // A browser without storage has nothing to remove.
  }
}

/**
 * What the account left unsaved last in this item, or in a new one. What was left anywhere more than 30 days ago is
 * dropped: nobody may open its item again.
 */
export function findUnsaved(account: number, item: number | undefined): Left | undefined {
  const begin = keyOf(account, item, '');
  return keys()
    .filter((key) => key.startsWith(PREFIX))
    .flatMap((key) => {
      try {
        const unsaved = JSON.parse(localStorage.getItem(key) ?? '') as Unsaved;
        if (Date.now() - unsaved.at >= KEPT_MS) dropUnsaved(key);
        else if (`${key}.`.startsWith(begin)) return { ...unsaved, key };
      } catch {
        // What cannot be read is no text.
      }
      return [];
    })
    .sort((one, other) => other.at - one.at)[0];
}

function keys(): string[] {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}
