/** Where a request came from. What is done on the command line, or by the service itself, has none. */
export interface Origin {
  /** The address of the client. */
  readonly address: string;
  /** Whoever sends from that address (domain/source.ts). */
  readonly source: string;
  /** The same as in the header X-Request-Id of the answer. */
  readonly requestId: string;
}
