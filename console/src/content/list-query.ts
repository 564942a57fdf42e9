/** What the service calls the list of published items that have a draft beside them. */
export const WITH_DRAFT = 'with_draft';
const STATUSES = ['published', 'draft', WITH_DRAFT] as const;
export type ListStatus = (typeof STATUSES)[number];

/** The view of the list, as the address of the page has it. */
export interface ListView {
  readonly keyword: string;
  readonly category: string;
  readonly tag: string;
  readonly language: string;
  readonly author: string;
  readonly status: ListStatus;
  readonly sort: string;
  readonly page: number;
}

export const PER_PAGE = 20;
/** The last item that a filtered or sorted list reaches by its pages. */
const DEEPEST = 10_000;
export const SORTS = ['changed', 'newest', 'oldest', 'title', 'id'] as const;

export function viewOf(address: Readonly<Record<string, string | undefined>>): ListView {
  const page = Number(address.page);
  const status = STATUSES.find((each) => each === address.status) ?? 'published';
  // Only published items are found by words.
  const keyword = status === 'published' ? (address.keyword ?? '') : '';
  const sorts: readonly string[] = keyword ? [...SORTS, 'relevance'] : SORTS;
  const sort = address.sort ?? '';
  const view: ListView = {
    keyword,
    category: address.category ?? '',
    tag: address.tag ?? '',
    author: /^\d{1,15}$/.test(address.author ?? '') ? (address.author ?? '') : '',
    language: address.language ?? '',
    status,
    sort: sorts.includes(sort) ? sort : keyword ? 'relevance' : 'changed',
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
  return { ...view, page: Math.min(view.page, pagesOf(view)) };
}

/** The pages that the service has of a list, at most. */
function pagesOf(view: ListView): number {
  const isFiltered = view.status === 'published' && Object.keys(filterOf(view)).length > 0;
  const isPlain = view.sort === 'id' && !isFiltered;
  return isPlain ? Number.POSITIVE_INFINITY : DEEPEST / PER_PAGE;
}

/** The filters of a view. */
export function filterOf({ keyword, category, tag, language, author, status }: ListView) {
  return {
    ...(author !== '' && { author: Number(author) }),
    ...(category !== '' && { category }),
    ...(tag !== '' && { tag: [tag] }),
    ...(language !== '' && { language }),
    ...(keyword !== '' && { keyword }),
    ...(status !== 'published' && { status }),
  };
}

/** The whole query of a page of the list. */
export function queryOf(view: ListView) {
  const sort = view.sort as (typeof SORTS)[number] | 'relevance';
  return {
    ...{ ...filterOf(view), page: view.page, per_page: PER_PAGE },
    ...(sort !== 'id' && { sort }),
    ...(view.keyword !== '' && { highlights: 'true' as const }),
  };
}

/** The last page that a list of so many items can show. */
export function lastPage(view: ListView, total: number): number {
  return Math.max(1, Math.min(Math.ceil(total / PER_PAGE), pagesOf(view)));
}
