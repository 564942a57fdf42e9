import type { ListedRow } from '../content/contract.ts';
import { toListItem } from '../content/contract.ts';
import { isoTime } from '../domain/time.ts';
import { pageUrlOf } from './page-url.ts';

/** Characters of a text in a feed. Who wants more reads the page. */
const EXCERPT = 1_000;

/** What a feed says of itself. */
export interface FeedAddresses {
  /** The address that clients of the service use, without a slash at its end. */
  readonly publicUrl: string;
  /** The address of the page of an item (`parsePageUrl`). */
  readonly contentUrl: string;
}

/** An item as both kinds of feeds have it. */
export interface Entry {
  /** It stays whatever becomes of the page. */
  readonly id: string;
  readonly url: string;
  readonly title: string;
  /** The beginning of the text. */
  readonly text: string;
  /** When the item was made, also as a draft, because the time of its publication is not stored. It is the order too. */
  readonly published: string;
  readonly updated: string;
  readonly author: string;
  /** Its category and its tags, each once. */
  readonly tags: readonly string[];
  readonly language: string | undefined;
}

export function toEntry(row: ListedRow, { publicUrl, contentUrl }: FeedAddresses): Entry {
  const { category, tags, language } = toListItem(row);
  return {
    id: `${publicUrl}/api/content/${row.id}`,
    url: pageUrlOf(contentUrl, row),
    title: row.title,
    text: beginning(row.content, (row.is_cut & 1) === 1),
    published: isoTime(row.created_at),
    updated: isoTime(row.updated_at),
    author: row.author_name,
    tags: [...new Set([category, ...tags])].filter((tag) => tag !== ''),
    language,
  };
}

/** `isCut` says that the text goes on after what is here. */
function beginning(text: string, isCut: boolean): string {
  const first = [...text].slice(0, EXCERPT).join('');
  return isCut || first.length < text.length ? `${first}…` : first;
}
