/** How many changes got numbers, and the highest number; 0 if there was none. */
export interface Numbered {
  readonly count: number;
  readonly last: number;
}
