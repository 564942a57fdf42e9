import type { Selectable } from 'kysely';
import { LABEL_LENGTH } from '../content/field-rules.ts';
import { firstCodePoints, foldKey } from '../domain/text.ts';
import type { Db, Tables } from '../store/tables.ts';
import type { LabelKind } from './tables.ts';

/**
 * One round adds up so many changes at most, and those of about so many labels: other writes wait for it, and other requests
 * wait while a list folds the names.
 */
export const MOST_CHANGES = 500;
export const MOST_LABELS = 1_000;

export type LabelChange = Selectable<Tables['label_changes']>;

/**
 * The key by which a label is found by its beginning. A character can become 18 when it is folded, so a key is no longer
 * than a label.
 */
export function labelKey(name: string): string {
  return firstCodePoints(foldKey(name), LABEL_LENGTH);
}

/** What changes add to the counts of one label. */
export interface Added {
  items: number;
  public_items: number;
}

/** The oldest changes, at most so many. */
export function readChanges(db: Db, most: number): Promise<LabelChange[]> {
  return db.selectFrom('label_changes').selectAll().orderBy('place').limit(most).execute();
}

/** The labels of this kind in a change. No category is an empty list. */
export function namesIn({ category, tags }: LabelChange, kind: LabelKind): string[] {
  if (kind === 'tag') return JSON.parse(tags);
  return category === '' ? [] : [category];
}

/** What the changes add to each label of this kind, by its name. */
export function addedBy(changes: readonly LabelChange[], kind: LabelKind): Map<string, Added> {
  const sums = new Map<string, Added>();
  for (const change of changes)
    for (const name of namesIn(change, kind)) {
      const sum = sums.get(name) ?? { items: 0, public_items: 0 };
      sum.items += change.items;
      sum.public_items += change.public_items;
      sums.set(name, sum);
    }
  return sums;
}
