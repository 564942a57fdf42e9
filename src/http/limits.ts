/** Sizes in bytes and times in milliseconds that protect the server from its clients (decisions 0003, 0043). */
export const LIMITS = {
  authBody: 4 * 1024,
  /** Of a profile of 8 KiB, where each character may be written as an escape. */
  profileBody: 64 * 1024,
  /** What a browser sends of a passkey has the longest id of one four times. */
  passkeyBody: 12 * 1024,
  contentBody: Math.floor(1.2 * 1024 * 1024),
  /** Of a body that is too large, so much is still read for the client's sake. */
  discardedBody: 8 * 1024 * 1024,
  /** A body may come in so many pieces; each one costs work and memory, however small it is. */
  bodyPieces: 2_000,
  /** Small chunks of a body that nobody reads: one that is read is refused before. */
  unreadChunks: 2_500,
  /** In bytes; a chunk of fewer costs more than what is in it. */
  smallChunk: 512,
  /** Of all bodies and large answers of requests under way, shared out by source. */
  bodies: 64 * 1024 * 1024,
  /** Bytes of a body, or characters of an answer, from which it is large: its JSON takes a millisecond. */
  large: 64 * 1024,
  headers: 16 * 1024,
  /** In characters; those that we issue have some 400. */
  token: 2 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  /** How often Node looks for connections that are over their time; its default is 30 s. */
  timeoutCheck: 1_000,
  /**
   * A connection that begins no request for this long is hung up on, whatever it sends. Fastify hangs up after
   * 73 s on one that sends nothing, and a request that began before has 10 s for its headers.
   */
  idleTimeout: 90_000,
  /** Open connections, shared out by source. */
  connections: 16_000,
  /** Connections that wait to be accepted, as far as the system lets them. Beyond it a client tries again after a second. */
  backlog: 4_096,
  /** Requests under way, shared out by source. */
  requests: 2_048,
  /** Requests that a client may send ahead of the answer that it is waiting for (decisions 0031). */
  requestsAhead: 32,
  /** The same of all connections together, shared out by source. */
  requestsAheadInAll: 4_096,
  /** A client that takes nothing of its answer for this long, or at most twice as long, is hung up on. */
  unreadTimeout: 15_000,
  /** Of all answers together that clients have not taken yet. */
  unsent: 64 * 1024 * 1024,
} as const;
