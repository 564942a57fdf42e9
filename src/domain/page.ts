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

/** The next step of a walk through a list. */
export interface WalkRequest {
  readonly per_page: number;
  /** The id of the last item that was met; undefined at the beginning. */
  readonly after: number | undefined;
}

/** What a step meets. `next` is the id of its last item, and undefined where no item follows. */
export interface Walk<Item> {
  readonly items: Item[];
  readonly per_page: number;
  readonly next: number | undefined;
}

export function offsetOf({ page, per_page }: PageRequest): number {
  return (page - 1) * per_page;
}
