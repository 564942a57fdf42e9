/**
 * How much of each thing may be under way in one service, or wait. These are no settings: each is far above honest use.
 * Of the first five, each of several workers has its part (`Admission`).
 */
export const ADMISSION = {
  /** Open connections, shared out by source. */
  connections: 16_000,
  /**
   * Requests that a connection may send before the answer it waits for, and those of all connections, shared out by
   * source.
   */
  requestsAhead: 32,
  requestsAheadInAll: 4_096,
  /** Requests under way, shared out by source. */
  requests: 2_048,
  /** Bytes of bodies and large answers of requests under way, shared out by source. */
  bytes: 64 * 1024 * 1024,
  /** The smallest part of these that a worker has. One source gets half: the largest body and its answer. */
  leastBytes: 16 * 1024 * 1024,
  /** Milliseconds after which a turn of the event loop begins no more requests, normally and after a new connection. */
  turn: 10,
  turnAfterConnection: 1,
  /** New connections keep heavy tasks waiting. After this many such turns, one heavy task runs. */
  turnsWithoutHeavy: 16,
  /** Searches of one asker that run at the same time, and that may wait. */
  searchesOfAsker: 2,
  searchesOfAskerWaiting: 128,
  /** Searches that may wait, of members and of strangers each, and the milliseconds after which one is given up. */
  searchesWaiting: 256,
  searchPatience: 5_000,
  /** Streams of events that one account may have open. How many there are in all is the setting EVENTS_MOST. */
  streamsOfAccount: 10,
  /** Bytes that one of them may leave unsent. The bytes of an event are shared among those who are told it. */
  unsentOfStream: 64 * 1024,
} as const;
