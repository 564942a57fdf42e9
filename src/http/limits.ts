/**
 * Limits of one request, answer or connection, in bytes and milliseconds, which protect the server from its clients
 * (docs/decisions/interface.md and docs/decisions/limits.md). The limits of all together are in
 * domain/admission/figures.ts.
 */
export const LIMITS = {
  /** For a route that does not set its own. */
  body: 4 * 1024,
  /** This much of a body that is too large is still read, so that the client sees the answer. */
  discardedBody: 8 * 1024 * 1024,
  /** For so long a connection that ends is still read, so that the client sees the answer. */
  lingering: 5_000,
  /** The most pieces of one body. Each piece costs work and memory, even if it is small. */
  bodyPieces: 2_000,
  /** A body that may be larger has as many pieces as packets of this size, the smallest of IPv6. */
  packet: 1_220,
  /** The most small chunks of a body that nobody reads. A body that is read is refused earlier. */
  unreadChunks: 2_500,
  /** A chunk of fewer bytes is small: it costs more than its content. */
  smallChunk: 512,
  /** A body of this many bytes, or an answer of this many characters, is large: its JSON takes a millisecond. */
  large: 64 * 1024,
  headers: 16 * 1024,
  /** Characters of a parameter in the path, with `%` and two digits for each byte beyond ASCII. */
  pathPart: 1_024,
  /** In characters. Our tokens have about 400. */
  token: 2 * 1024,
  headersTimeout: 10_000,
  /** For a request whose body arrives more slowly than `slowestBody`. */
  requestTimeout: 15_000,
  /** Bytes in a second. A large text has the time that a slow line needs for it. */
  slowestBody: 16 * 1024,
  /** For any request: the time of the largest body, of many items, on the slowest line. */
  longestRequest: 300_000,
  /** How often Node checks connections for time-outs. Its default is 30 s. */
  timeoutCheck: 1_000,
  /**
   * A connection that begins no request for this long is closed, whatever it sends. Fastify closes one that sends
   * nothing after 73 s, and the headers of a request have 10 s.
   */
  idleTimeout: 90_000,
  /**
   * Connections that wait to be accepted, as far as the system allows. Beyond it a client tries again after a second.
   */
  backlog: 4_096,
  /** A client that takes nothing of its answer for this long, or at most twice as long, is disconnected. */
  unreadTimeout: 15_000,
  /** The most bytes of all answers that clients have not taken yet. */
  unsent: 64 * 1024 * 1024,
} as const;
