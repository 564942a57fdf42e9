/** Where a request came from. What a command or the service itself does has no origin. */
export interface Origin {
  /** The address of the client. */
  readonly address: string;
  /** Whom that address stands for (domain/source.ts). */
  readonly source: string;
  /** The id that the answer has in the header X-Request-Id. */
  readonly requestId: string;
}
