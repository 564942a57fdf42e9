import type { Static } from 'typebox';
import { invalid } from '../domain/failure.ts';
import type { PageRequest } from '../domain/page.ts';
import { pageRequest } from '../http/paging.ts';
import { timeIn } from '../http/time-query.ts';
import type { ContentQuery } from './contract.ts';
import { DEEPEST_ITEM, deepestPage, endsEarly } from './deepest.ts';

/** What a list reads for the query of a request. Fails with `validation_failed` where its parameters do not go together. */
export function listQuery(query: Static<typeof ContentQuery>) {
  const { keyword = '', sort = 'id' } = query;
  const paging = pageRequest(query);
  const highlights = query.highlights === 'true';
  const asked = { ...paging, ...filtersIn(query), keyword, sort, highlights };
  if (keyword === '' && sort === 'relevance') throw refused('sort', 'keyword', NO_RELEVANCE);
  if (keyword === '' && asked.highlights) throw refused('highlights', 'keyword', NO_HIGHLIGHTS);
  if (endsEarly(asked)) requireNotTooDeep(paging);
  return asked;
}

const NO_RELEVANCE = 'An order by relevance needs a "keyword"; add one, or choose another order.';
const NO_HIGHLIGHTS =
  'There is nothing to highlight without a "keyword"; add one, or leave "highlights" out.';
const TOO_DEEP = `A list with a filter or with "sort" ends at item ${DEEPEST_ITEM}; narrow it by a range of time, or walk through all of it by id, which an empty "cursor" begins.`;

function requireNotTooDeep(paging: PageRequest): void {
  if (paging.page > deepestPage(paging)) throw refused('page', 'maximum', TOO_DEEP);
}

function refused(field: string, rule: string, message: string) {
  return invalid([{ field, rule, message }]);
}

/** What a list of drafts reads for the query of a request. Fails with `validation_failed` where it asks for words. */
export function draftsQuery(query: Static<typeof ContentQuery>) {
  const { keyword = '', highlights = 'false', sort = 'id', status } = query;
  const paging = pageRequest(query);
  const refuse = (field: string, what = field) =>
    refused(field, 'draft', `"${what}" does not go with "status=${status}"; leave it out.`);
  if (keyword !== '') throw refuse('keyword');
  if (highlights === 'true') throw refuse('highlights');
  if (sort === 'relevance') throw refuse('sort', 'sort=relevance');
  if (sort !== 'id') requireNotTooDeep(paging);
  return { ...paging, ...filtersIn(query), sort };
}

/** The filters of a query, but for the words. */
function filtersIn(query: Static<typeof ContentQuery>) {
  const { category = '', language = '', author } = query;
  return {
    ...{ category, language, author },
    tags: labelsIn(query.tag),
    anyTags: labelsIn(query.any_tag),
    created: rangeOf(query.created_from, query.created_before),
    updated: rangeOf(query.updated_from, query.updated_before),
  };
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
