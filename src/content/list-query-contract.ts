import type { Static } from 'typebox';
import { invalid } from '../domain/failure.ts';
import { offsetOf } from '../domain/page.ts';
import { pageRequest } from '../http/paging.ts';
import { timeIn } from '../http/time-query.ts';
import { type ContentQuery, DEEPEST_SORTED } from './contract.ts';

/** What `list` reads for the query of a request. Fails with `validation_failed` beyond the end of a sorted list. */
export function listQuery(query: Static<typeof ContentQuery>) {
  const { keyword = '', category = '', author, sort } = query;
  const paging = pageRequest(query);
  if (sort !== undefined && sort !== 'id' && offsetOf(paging) + paging.per_page > DEEPEST_SORTED)
    throw invalid([{ field: 'page', rule: 'maximum', message: TOO_DEEP }]);
  return {
    ...paging,
    keyword,
    category,
    author,
    sort,
    tags: labelsIn(query.tag),
    anyTags: labelsIn(query.any_tag),
    created: rangeOf(query.created_from, query.created_before),
    updated: rangeOf(query.updated_from, query.updated_before),
  };
}

/** The parameters that a list of drafts takes. */
const OF_DRAFTS = ['status', 'author', 'fields', 'page', 'per_page'];

/** What `listDraftItems` reads for the query of a request. Fails with `validation_failed`. */
export function draftsQuery(query: Static<typeof ContentQuery>) {
  const [field] = Object.keys(query).filter((name) => !OF_DRAFTS.includes(name));
  if (field !== undefined) {
    const message = `"${field}" does not go with "status=draft"; a list of drafts takes ${OF_DRAFTS.join(', ')}.`;
    throw invalid([{ field, rule: 'draft', message }]);
  }
  return { ...pageRequest(query), author: query.author };
}

const TOO_DEEP = `A list with "sort" ends at item ${DEEPEST_SORTED}; narrow it by a range of time, or leave "sort" out to read all items by their ids.`;

function rangeOf(from: string | undefined, before: string | undefined) {
  return from === undefined && before === undefined
    ? undefined
    : { from: timeIn(from), before: timeIn(before) };
}

/** An empty label is no filter, and a repeated one is one. */
function labelsIn(labels: readonly string[] = []): string[] {
  return [...new Set(labels)].filter((label) => label !== '');
}
