const TRANSACTIONS = { ofAskerWaiting: 2_048, waiting: 2_048, patience: 4_000 } as const;
const COSTLY_READS = { ofAsker: 2, ofAskerWaiting: 128, waiting: 256, patience: 5_000 } as const;

/**
 * How much of each thing may be under way in one service, or wait. These are no settings: each is far above honest use.
 * Several workers share `connections`, `requestsAheadInAll`, `requests` and `bytes` (`Admission`), and what `hashing` and
 * `attempts` say. The primary has the `writer` for all of them. Every other number is of each worker.
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
  /** Searches, and other reads that cost as much. */
  searches: { noun: 'searches', ...COSTLY_READS },
  /** Versions and HTML, of which few are made at once. */
  reads: { noun: 'reads', ...COSTLY_READS },
  /**
   * Deltas of long texts. A text whose delta is refused is kept whole. One waits longer than the one before it may take,
   * three seconds on a busy machine and the start of a thread, or a member could keep others from theirs.
   */
  deltas: { noun: 'deltas', ofAsker: 1, ofAskerWaiting: 10, waiting: 64, patience: 5_000 },
  /** Large writes, which cost as much as many others (http/write-turns.ts). How many wait is bounded by `requests` alone. */
  writes: { noun: 'writes', ofAsker: 1, ofAskerWaiting: 2_048, waiting: 2_048, patience: 30_000 },
  /** Transactions on PostgreSQL. One that waits holds no connection yet. */
  transactions: { noun: 'writes', ofAsker: 3, ...TRANSACTIONS },
  /** The same for sign-ins and changes of accounts. Those of one account exclude each other, so one is under way. */
  exclusiveTransactions: { noun: 'writes', ofAsker: 1, ...TRANSACTIONS },
  /**
   * Jobs that wait for a hash of a password: those of known devices and those of strangers each have this many places,
   * about a second of work for two cores. Workers share them, but each has `leastOfKind`, so that several sources find
   * a place.
   */
  hashing: { ofKind: 256, leastOfKind: 16 },
  /**
   * Checks of passwords that count for the same limits: `atOnce` are under way in an instance, whose workers share them,
   * and `alikeWaiting` wait. Each extra instance may allow `atOnce` extra checks, because it learns of mistakes elsewhere
   * only after they are stored. `waiting` is the most in all.
   */
  attempts: { atOnce: 4, alikeWaiting: 256, waiting: 2_048 },
  /** Calls that wait for a thread of SQLite's store. Each job in the background has one under way at most. */
  threads: { writer: 10_000, reader: 64, deriver: 64 },
  /** Streams of events that one account may have open. How many there are in all is the setting EVENTS_MOST. */
  streamsOfAccount: 10,
  /** Bytes that one of them may leave unsent. The bytes of an event are shared among those who are told it. */
  unsentOfStream: 64 * 1024,
} as const;
