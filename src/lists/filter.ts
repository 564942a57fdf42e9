import { type RawBuilder, sql } from 'kysely';
import { contentMatching, type Matched } from '../search/search.ts';
import { inTimeOn } from '../store/deadline.ts';
import { type IdSet, intersection, type Sets } from '../store/id-set.ts';
import type { Engine } from '../store/operation.ts';
import { publicAmong } from './public.ts';

export interface Filter {
  /** Empty for no filter. */
  readonly keyword: string;
  readonly category: string;
  /** In any case; empty for no filter. */
  readonly language?: string;
  /** Items that have all of these tags. */
  readonly tags?: readonly string[];
  /** Items that have any of these tags; empty for no filter. */
  readonly anyTags?: readonly string[];
  readonly author?: number | undefined;
  /** Undefined for every time. */
  readonly created?: TimeRange | undefined;
  readonly updated?: TimeRange | undefined;
}

/** Milliseconds since 1970: from a time on, and before a time. */
interface TimeRange {
  readonly from?: number | undefined;
  readonly before?: number | undefined;
}

/** True if the list has a condition. */
export function isFiltered(filter: Filter): boolean {
  const { keyword, category, language = '', tags = [], anyTags = [], author, created, updated } = filter;
  return (
    [keyword, category, language].some((text) => text !== '') ||
    tags.length + anyTags.length > 0 ||
    [author, created, updated].some((condition) => condition !== undefined)
  );
}

/** Those that meet every filter of the query, without what is hidden from its reader. */
export function matching(filter: Filter, engine: Engine, hidesSome: boolean, words?: Matched): IdSet {
  const ids = intersection(setsOf(filter, engine, words), engine);
  return hidesSome ? publicAmong(ids, engine) : ids;
}

/**
 * The visible items that meet each filter. The sets are ordered by their usual size: an author has fewer items than a
 * tag, a tag fewer than a category, and a category fewer than a language. `matched` says how items match the keyword.
 */
function setsOf(filter: Filter, engine: Engine, matched?: Matched): Sets {
  const { author, tags = [], anyTags = [], category, language = '', keyword, created, updated } = filter;
  const [inOrder, others]: [IdSet[], IdSet[]] = [[], []];
  if (author !== undefined)
    inOrder.push(sql`select id from content where author_id = ${author} and visible = 1`);
  for (const tag of tags) inOrder.push(sql`select content_id as id from content_tags where tag = ${tag}`);
  // The last condition allows the partial index.
  if (category !== '')
    inOrder.push(sql`select id from content where category = ${category} and visible = 1 and category <> ''`);
  if (language !== '')
    inOrder.push(
      sql`select id from content where ${isIn(language, engine)} and visible = 1 and language <> ''`,
    );
  if (keyword !== '') inOrder.push(contentMatching(keyword, engine, matched));
  if (anyTags.length > 0)
    others.push(sql`select distinct content_id as id from content_tags
      where tag in (${sql.join(anyTags)}) and ${inTimeOn(engine, sql`content_id`)}`);
  if (created) others.push(within('created_at', created));
  if (updated) others.push(within('updated_at', updated));
  return { inOrder, others };
}

/** Language tags are the same in any case. */
export function isIn(language: string, { name }: Pick<Engine, 'name'>): RawBuilder<boolean> {
  return name === 'sqlite'
    ? sql`language = ${language} collate nocase`
    : sql`lower(language collate "C") = ${language.toLowerCase()}`;
}

function within(column: TimeColumn, range: TimeRange): IdSet {
  return sql`select id from content where visible = 1 and ${isWithin(column, range)}`;
}

type TimeColumn = 'created_at' | 'updated_at';

/** From `from` on and before `before`, both in milliseconds since 1970. A bound that is undefined is none. */
export function isWithin(column: TimeColumn, { from, before }: TimeRange): RawBuilder<boolean> {
  const time = sql.ref(`content.${column}`);
  const since = from === undefined ? sql`true` : sql`${time} >= ${from}`;
  return before === undefined ? sql`${since}` : sql`${since} and ${time} < ${before}`;
}
