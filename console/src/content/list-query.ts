/** The view of the list, as the address of the page has it. */
export interface ListView {
  readonly keyword: string;
  readonly category: string;
  readonly tag: string;
  readonly author: string;
  readonly status: 'published' | 'draft';
  readonly sort: string;
  readonly page: number;
}

export const PER_PAGE = 20;
/** The last item that a filtered or sorted list reaches by its pages. */
export const DEEPEST = 10_000;
export const SORTS = ['changed', 'newest', 'oldest', 'title', 'id'] as const;

export function viewOf(address: Readonly<Record<string, string | undefined>>): ListView {
  const page = Number(address.page);
  const keyword = address.keyword ?? '';
  const sorts: readonly string[] = keyword ? [...SORTS, 'relevance'] : SORTS;
  const sort = address.sort ?? '';
  return {
    keyword,
    category: address.category ?? '',
    tag: address.tag ?? '',
    author: /^\d{1,15}$/.test(address.author ?? '') ? (address.author ?? '') : '',
    status: address.status === 'draft' ? 'draft' : 'published',
    sort: sorts.includes(sort) ? sort : keyword ? 'relevance' : 'changed',
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** The filters of a view. That of drafts has the one by author only. */
export function filterOf({ keyword, category, tag, author, status }: ListView) {
  const by = author === '' ? {} : { author: Number(author) };
  if (status === 'draft') return { status, ...by };
  return {
    ...by,
    ...(keyword !== '' && { keyword }),
    ...(category !== '' && { category }),
    ...(tag !== '' && { tag: [tag] }),
  };
}

/** The whole query of a page of the list. */
export function queryOf(view: ListView) {
  const paging = { page: view.page, per_page: PER_PAGE };
  if (view.status === 'draft') return { ...filterOf(view), status: view.status, ...paging };
  const sort = view.sort as (typeof SORTS)[number] | 'relevance';
  return {
    ...filterOf(view),
    ...paging,
    ...(sort !== 'id' && { sort }),
    ...(view.keyword !== '' && { highlights: 'true' as const }),
  };
}

/** The last page that a list of so many items can show. */
export function lastPage(view: ListView, total: number): number {
  const isPlain = view.status === 'draft' || (view.sort === 'id' && Object.keys(filterOf(view)).length === 0);
  return Math.max(1, Math.ceil((isPlain ? total : Math.min(total, DEEPEST)) / PER_PAGE));
}
