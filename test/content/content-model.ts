import { isDeepStrictEqual } from 'node:util';

/**
 * Content as a plain list in the order of its ids, and what a list of it must show (docs/decisions/content.md and
 * docs/decisions/lists-and-search.md).
 */

/** Bytes that all content of a page may have, and the characters that stand for one that is too long. */
const [PAGE_BYTES, EXCERPT] = [256 * 1024, 1_000];
const MOST_PER_PAGE = 100;

export interface Members {
  readonly title: string;
  readonly content: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly language: string;
  readonly meta: object;
}

export interface Item extends Members {
  readonly slug: string;
  readonly id: number;
  readonly version: number;
  readonly author: { readonly id: number; readonly username: string };
  readonly created_at: string;
  readonly updated_at: string;
}

export interface Content {
  items: Item[];
  restarts: number;
}

export interface Query {
  readonly page: number;
  readonly per_page: number;
  readonly category: string;
  readonly tag: string;
  readonly author: number | undefined;
}

/** Tags as they are kept: trimmed, and each once. */
export function kept(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()))];
}

export function add(model: Content, added: readonly Item[]): void {
  model.items = [...model.items, ...added].toSorted((one, other) => one.id - other.id);
}

export function change(model: Content, item: Item, changed: Partial<Members>, now: string): Item {
  const tags = changed.tags ? { tags: kept(changed.tags) } : {};
  const given = { ...item, ...changed, ...tags };
  // A change that changes nothing makes no version.
  if (isDeepStrictEqual(given, item)) return item;
  const after = { ...given, version: item.version + 1, updated_at: now };
  model.items = model.items.map((each) => (each === item ? after : each));
  return after;
}

export function remove(model: Content, item: Item): void {
  model.items = model.items.filter((each) => each !== item);
}

/** `data` of the answer to a list. */
export function listed({ items }: Content, { page, per_page, category, tag, author }: Query) {
  const found = items.filter(
    (item) =>
      (category === '' || item.category === category) &&
      (tag === '' || item.tags.includes(tag)) &&
      (author === undefined || item.author.id === author),
  );
  const size = Math.min(per_page, MOST_PER_PAGE);
  const onPage = found.slice((page - 1) * size, page * size).map((item) => shortened(item, size));
  return { items: onPage, total: found.length, page, per_page: size };
}

/** The item as an answer has it: without a language or a `meta` that is empty. All can see each item of the model. */
export function shown({ language, meta, ...item }: Item): object {
  const whole = { ...item, visibility: 'public', status: 'published' };
  return { ...whole, ...(language && { language }), ...(Object.keys(meta).length > 0 && { meta }) };
}

function shortened(item: Item, perPage: number) {
  const isLong = (text: string) => perPage > 1 && Buffer.byteLength(text) > Math.floor(PAGE_BYTES / perPage);
  const isLongMeta = isLong(JSON.stringify(item.meta));
  const excerpt = () => [...item.content].slice(0, EXCERPT).join('');
  return {
    ...shown(isLongMeta ? { ...item, meta: {} } : item),
    ...(isLong(item.content) && { content: excerpt(), content_truncated: true }),
    ...(isLongMeta && { meta_truncated: true }),
  };
}
