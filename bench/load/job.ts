/** A job for the load generator. */
export interface Job {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /**
   * Whole HTTP/1.1 requests, used in a cycle. With `chain`, one for each connection, in which `CHAINED` is replaced by
   * the present refresh token of the connection. `NEW_TEXT` is replaced by a text that no other request has
   * (datasets/new-texts.ts).
   */
  readonly requests: readonly string[];
  /** The first token of each connection. The `refresh_token` of each answer is sent in the next request. */
  readonly chain?: readonly string[];
  /** Requests a second over all connections. Without a rate, each connection sends when its answer has arrived. */
  readonly rate?: number;
}

/** The placeholder in a request for the token of its connection. */
export const CHAINED = '{refresh token}';

/** The result of a job. */
export interface Measured {
  /** Answers a second. */
  readonly rate: number;
  readonly answers: number;
  /** Answers with another status than 200 or 304, and broken connections. */
  readonly errors: number;
  /** Milliseconds from the request's first byte out to its answer's last byte in. */
  readonly latency: Percentiles;
  /** The present tokens of the connections. */
  readonly chain: readonly string[];
}

export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** Exact percentiles of the values, or zeros without values. */
export function percentiles(values: Float64Array): Percentiles {
  const sorted = values.toSorted();
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: at(1) };
}
