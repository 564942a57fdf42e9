/** Which part of a list is wanted: `page` from 1, `per_page` from 1 to 100. */
export interface PageRequest {
  readonly page: number;
  readonly per_page: number;
}

/** One page of a list; `total` counts everything that matches, exactly. */
export interface Page<Item> {
  readonly items: Item[];
  readonly total: number;
  readonly page: number;
  readonly per_page: number;
}

/** How many rows come before the page. */
export function offsetOf({ page, per_page }: PageRequest): number {
  return (page - 1) * per_page;
}
