/** Hears what is being done, and how much of it; a total of 0 is not known. */
export interface MoveListener {
  begin(step: string, total: number): void;
  reach(done: number): void;
}
