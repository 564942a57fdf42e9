/** Where a request comes from: its address, what counts as one source (`sourceOf`), and its id. */
export interface Origin {
  readonly address: string;
  readonly source: string;
  readonly requestId: string;
}
