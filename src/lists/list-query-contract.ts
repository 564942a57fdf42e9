import type { Static } from 'typebox';
import { invalid } from '../domain/failure.ts';
import { pageRequest } from '../http/paging.ts';
import { timeIn } from '../http/time-query.ts';
import type { ContentQuery } from './contract.ts';
import { DEEPEST_SEARCHED, deepestPage, isSearched } from './deepest.ts';

/** What a list reads for the query of a request. Fails with `validation_failed` where its parameters do not go together. */
export function listQuery(query: Static<typeof ContentQuery>) {
  const { keyword = '', category = '', language = '', author, sort = 'id' } = query;
  const paging = pageRequest(query);
  const asked = {
    ...paging,
    keyword,
    category,
    language,
    author,
    sort,
    highlights: query.highlights === 'true',
    tags: labelsIn(query.tag),
    anyTags: labelsIn(query.any_tag),
    created: rangeOf(query.created_from, query.created_before),
    updated: rangeOf(query.updated_from, query.updated_before),
  };
  if (keyword === '' && sort === 'relevance') throw refused('sort', 'keyword', NO_RELEVANCE);
  if (keyword === '' && asked.highlights) throw refused('highlights', 'keyword', NO_HIGHLIGHTS);
  if (isSearched(asked) && paging.page > deepestPage(paging)) throw refused('page', 'maximum', TOO_DEEP);
  return asked;
}

const NO_RELEVANCE = 'An order by relevance needs a "keyword"; add one, or choose another order.';
const NO_HIGHLIGHTS =
  'There is nothing to highlight without a "keyword"; add one, or leave "highlights" out.';
const TOO_DEEP = `A list with a filter or with "sort" ends at item ${DEEPEST_SEARCHED}; narrow it by a range of time, or walk through all of it by id, which an empty "cursor" begins.`;

function refused(field: string, rule: string, message: string) {
  return invalid([{ field, rule, message }]);
}

/** The parameters that a list of drafts takes. */
const OF_DRAFTS = ['status', 'author', 'fields', 'page', 'per_page'];
/** Values of other parameters that change no list, so a list of drafts takes them too. */
const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  keyword: '',
  category: '',
  language: '',
  tag: '',
  any_tag: '',
  highlights: 'false',
  sort: 'id',
};

/** What `listDraftItems` reads for the query of a request. Fails with `validation_failed`. */
export function draftsQuery(query: Static<typeof ContentQuery>) {
  const isRefused = ([name, value]: [string, unknown]) =>
    !OF_DRAFTS.includes(name) && [value].flat().some((each) => each !== WITHOUT_EFFECT[name]);
  const [field] = Object.entries(query).find(isRefused) ?? [];
  if (field !== undefined) {
    const message = `"${field}" does not go with "status=draft"; a list of drafts takes ${OF_DRAFTS.join(', ')}.`;
    throw invalid([{ field, rule: 'draft', message }]);
  }
  return { ...pageRequest(query), author: query.author };
}

function rangeOf(from: string | undefined, before: string | undefined) {
  return from === undefined && before === undefined
    ? undefined
    : { from: timeIn(from), before: timeIn(before) };
}

/** An empty label is no filter, and a repeated one is one. */
function labelsIn(labels: readonly string[] = []): string[] {
  return [...new Set(labels)].filter((label) => label !== '');
}
