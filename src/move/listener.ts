/** Is told which step a move is at, and how much of the step is done. `total` is 0 where it is not known. */
export interface MoveListener {
  begin(step: string, total: number): void;
  reach(done: number): void;
}
