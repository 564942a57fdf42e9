/** What an author writes in the editor. */
export interface Written {
  readonly title: string;
  readonly slug: string;
  readonly content: string;
  readonly category: string;
  readonly tags: readonly string[];
  /** A language tag of BCP 47; empty for none. */
  readonly language: string;
  readonly visibility: 'public' | 'members';
  /** A time of ISO 8601, or null. */
  readonly publish_at: string | null;
}

export const NOTHING: Written = {
  title: '',
  slug: '',
  content: '',
  category: '',
  tags: [],
  language: '',
  visibility: 'public',
  publish_at: null,
};

const NAMES = Object.keys(NOTHING) as (keyof Written)[];

function same(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** The members of `now` that `base` has otherwise. */
export function changesOf(base: Written, now: Written): Partial<Written> {
  return Object.fromEntries(
    NAMES.filter((name) => !same(base[name], now[name])).map((name) => [name, now[name]]),
  );
}

export function isSame(one: Written, other: Written): boolean {
  return NAMES.every((name) => same(one[name], other[name]));
}

/** `theirs` with the members that `mine` changed since `base`, and with each tag that it added or removed. */
export function mergedOf(base: Written, mine: Written, theirs: Written): Written {
  const merged = { ...theirs, ...changesOf(base, mine) };
  if (same(base.tags, theirs.tags)) return merged;
  const kept = theirs.tags.filter((tag) => mine.tags.includes(tag) || !base.tags.includes(tag));
  const added = mine.tags.filter((tag) => ![...base.tags, ...kept].includes(tag));
  return { ...merged, tags: [...kept, ...added] };
}

export type Contested = Exclude<keyof Written, 'content' | 'tags'>;

/**
 * The members that both changed since `base`, to different values. The text is merged by the author, and tags are each.
 */
export function contestedOf(base: Written, mine: Written, theirs: Written): Contested[] {
  const [ours, others] = [changesOf(base, mine), changesOf(base, theirs)];
  return NAMES.filter((name) => name !== 'content' && name !== 'tags').filter(
    (name) => name in ours && name in others && !same(mine[name], theirs[name]),
  );
}
