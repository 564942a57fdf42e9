import type { LabelRename } from './rename.ts';

type Names = Pick<LabelRename, 'kind' | 'from_name' | 'to_name'>;

/** The columns of an item, or of the draft beside one. */
export interface LabelColumns {
  readonly category?: string | undefined;
  /** A JSON array of names. */
  readonly tags?: string | undefined;
}

/** The column that the renaming changes, as it is then. Undefined where the label is not there. */
export function renamed(
  { kind, from_name, to_name }: Names,
  { category, tags = '[]' }: LabelColumns,
): { category: string } | { tags: string } | undefined {
  if (kind === 'category') return category === from_name ? { category: to_name } : undefined;
  const names: string[] = JSON.parse(tags);
  if (!names.includes(from_name)) return undefined;
  const now = names.map((name) => (name === from_name ? to_name : name));
  // A merge: an item with both keeps one, at the place of the first.
  return { tags: JSON.stringify([...new Set(now)]) };
}
