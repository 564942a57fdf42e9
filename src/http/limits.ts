/** Sizes in bytes and times in milliseconds that protect the server from its clients (decisions 0003). */
export const LIMITS = {
  authBody: 4 * 1024,
  contentBody: Math.floor(1.2 * 1024 * 1024),
  /** Of a body that is too large, so much is still read for the client's sake. */
  discardedBody: 8 * 1024 * 1024,
  headers: 16 * 1024,
  /** In characters; those that we issue have some 400. */
  token: 2 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  /** How often Node looks for connections that are over their time; its default is 30 s. */
  timeoutCheck: 1_000,
  /** Requests that a client may send ahead of the answer that it is waiting for (decisions 0031). */
  requestsAhead: 32,
  /** A client that takes nothing of its answer for this long, or at most twice as long, is hung up on. */
  unreadTimeout: 15_000,
  /** Of all answers together that clients have not taken yet. */
  unsent: 64 * 1024 * 1024,
} as const;
