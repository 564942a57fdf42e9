/** Where a request came from. Commands and the service itself have no origin. */
export interface Origin {
  /** The address of the client. */
  readonly address: string;
  /** The IPv4 address or /64 to which that address belongs (domain/source.ts). */
  readonly source: string;
  /** The id that the answer has in the header X-Request-Id. */
  readonly requestId: string;
}
