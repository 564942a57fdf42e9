/** Which part of a list is wanted: `page` from 1, `per_page` from 1 to 100. */
export interface PageRequest {
  readonly page: number;
  readonly per_page: number;
}

/** One page of a list. `total` is the exact number of all matches. */
export interface Page<Item> {
  readonly items: Item[];
  readonly total: number;
  readonly page: number;
  readonly per_page: number;
}

export function offsetOf({ page, per_page }: PageRequest): number {
  return (page - 1) * per_page;
}
