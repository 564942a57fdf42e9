/** What the load generator is asked to do. */
export interface Job {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /**
   * Whole HTTP/1.1 requests, taken in turn. With `chain`, one for each connection, in which
   * `CHAINED` stands for the refresh token that the connection holds at that moment. `NEW_TEXT` stands for a text
   * that no other request has (datasets/new-texts.ts).
   */
  readonly requests: readonly string[];
  /** The first token of each connection; each answer's `refresh_token` is sent in the next request. */
  readonly chain?: readonly string[];
  /** Requests a second over all connections. Without a rate, each connection sends when its answer has come. */
  readonly rate?: number;
}

/** Stands in a request for the token that its connection holds. */
export const CHAINED = '{refresh token}';

/** What came back within the time. */
export interface Measured {
  /** Answers a second. */
  readonly rate: number;
  readonly answers: number;
  /** Answers with another status than 200, and connections that broke. */
  readonly errors: number;
  /** Milliseconds from the request's first byte out to its answer's last byte in. */
  readonly latency: Percentiles;
  /** The tokens that the connections hold now. */
  readonly chain: readonly string[];
}

export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** Exact percentiles of the values; all zero for none. */
export function percentiles(values: Float64Array): Percentiles {
  const sorted = values.toSorted();
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: at(1) };
}
