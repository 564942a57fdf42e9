interface Declared {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels?: readonly string[];
  /** How the values of several workers become one. By default they are added up. */
  readonly among?: 'least' | 'greatest';
}

/**
 * The one list of what Stoa reports to Prometheus on METRICS_PORT. The names follow its conventions: base units,
 * `_total` for what only grows. Labels are few and fixed words of ours, never a person, a path or a secret. What
 * Node.js reports of itself (`process_*`, `nodejs_*`) comes in addition. docs/metrics.md explains each, and a test
 * compares.
 */
export const METRICS = {
  stoa_http_requests_total: {
    type: 'counter',
    help: 'Requests, by the template of their route and the class of their status; "left" where the client did not wait.',
    labels: ['route', 'method', 'status'],
  },
  stoa_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from a request to the end of its answer, or until its client left.',
    labels: ['route', 'method'],
  },
  stoa_http_failures_total: {
    type: 'counter',
    help: 'Answers that are an error, by its name.',
    labels: ['error'],
  },
  stoa_connections_open: { type: 'gauge', help: 'Open connections that do not come from a trusted proxy.' },
  stoa_requests_under_way: {
    type: 'gauge',
    help: 'Requests that were admitted, and are not answered or still write.',
  },
  stoa_request_held_bytes: { type: 'gauge', help: 'Bytes of bodies and large answers under way.' },
  stoa_admission_waiting: {
    type: 'gauge',
    help: 'Requests, heavy tasks, searches, versions, HTML, deltas, large writes and transactions on PostgreSQL that wait for their turn.',
    labels: ['kind'],
  },
  stoa_searches_under_way: { type: 'gauge', help: 'Searches that run.' },
  stoa_admission_refused_total: {
    type: 'counter',
    help: 'What was refused because its asker, or all, had too much of it under way or waiting, or because it waited too long.',
    labels: ['reason'],
  },
  stoa_hashing_waiting: { type: 'gauge', help: 'Passwords that wait for a thread.' },
  stoa_hashing_busy_threads: { type: 'gauge', help: 'Threads that hash a password.' },
  stoa_hashing_jobs_total: { type: 'counter', help: 'Passwords that were given to a thread.' },
  stoa_hashing_refused_total: { type: 'counter', help: 'Passwords that found no place in the queue.' },
  stoa_database_up: { type: 'gauge', among: 'least', help: '1 while the database answers, else 0.' },
  stoa_database_full: {
    type: 'gauge',
    among: 'greatest',
    help: '1 while writes fail for lack of room, else 0.',
  },
  stoa_database_read_only: {
    type: 'gauge',
    among: 'greatest',
    help: '1 while the database answers and takes no writes, else 0.',
  },
  stoa_database_size_bytes: { type: 'gauge', help: 'Size of the database, without its log and its index.' },
  stoa_database_log_size_bytes: { type: 'gauge', help: 'Size of the write-ahead log of SQLite.' },
  stoa_database_index_size_bytes: { type: 'gauge', help: 'Size of the search index of SQLite.' },
  stoa_disk_free_bytes: {
    type: 'gauge',
    among: 'greatest',
    help: 'Room on the disk of the SQLite database.',
  },
  stoa_disk_size_bytes: {
    type: 'gauge',
    among: 'greatest',
    help: 'Size of the disk of the SQLite database.',
  },
  stoa_store_waiting: {
    type: 'gauge',
    help: 'Operations that wait for a thread of SQLite, or run in it.',
    labels: ['thread'],
  },
  stoa_store_refused_total: {
    type: 'counter',
    help: 'Operations that found no place in the queue of a thread of SQLite.',
    labels: ['thread'],
  },
  stoa_store_operations_total: {
    type: 'counter',
    help: 'Operations that a thread of SQLite has answered.',
    labels: ['thread'],
  },
  stoa_store_batches_total: {
    type: 'counter',
    help: 'Batches in which a thread of SQLite has answered them. The writer commits each batch once.',
    labels: ['thread'],
  },
  stoa_pool_connections: {
    type: 'gauge',
    help: 'Connections to PostgreSQL.',
    labels: ['state'],
  },
  stoa_pool_waiting: { type: 'gauge', help: 'Tasks that wait for a connection to PostgreSQL.' },
  stoa_pool_refused_total: { type: 'counter', help: 'Tasks that got no connection to PostgreSQL in time.' },
  stoa_cache_hits_total: { type: 'counter', help: 'Look-ups that found an entry.', labels: ['cache'] },
  stoa_cache_misses_total: { type: 'counter', help: 'Look-ups that found none.', labels: ['cache'] },
  stoa_cache_entries: { type: 'gauge', help: 'Entries of a cache.', labels: ['cache'] },
  stoa_limits_refused_total: {
    type: 'counter',
    help: 'Requests that a limit on how often something happens has refused.',
    labels: ['limit'],
  },
  stoa_sign_ins_waiting: { type: 'gauge', help: 'Sign-ins that wait for others to the same account.' },
  stoa_task_runs_total: { type: 'counter', help: 'Runs of work in the background.', labels: ['task'] },
  stoa_task_failures_total: { type: 'counter', help: 'Runs that failed.', labels: ['task'] },
  stoa_task_last_success_timestamp_seconds: {
    type: 'gauge',
    among: 'greatest',
    help: 'When a run last succeeded; 0 for never since the start.',
    labels: ['task'],
  },
  stoa_task_interval_seconds: {
    type: 'gauge',
    among: 'greatest',
    help: 'Pause between two runs.',
    labels: ['task'],
  },
  stoa_mails_waiting: { type: 'gauge', help: 'Mails in the outbox.' },
  stoa_mail_attempts_total: {
    type: 'counter',
    help: 'Attempts of this instance to send a mail, by what came of them.',
    labels: ['outcome'],
  },
  stoa_webhook_deliveries_waiting: { type: 'gauge', help: 'Deliveries that wait, counted up to 10,000.' },
  stoa_backup_failing: {
    type: 'gauge',
    among: 'greatest',
    help: '1 while the last try to make a backup has failed, else 0.',
  },
  stoa_backup_last_success_timestamp_seconds: {
    type: 'gauge',
    among: 'greatest',
    help: 'When the newest proved backup was begun; 0 for none.',
  },
  stoa_backup_interval_seconds: { type: 'gauge', among: 'greatest', help: 'BACKUP_EVERY.' },
  stoa_backup_unsent: {
    type: 'gauge',
    among: 'greatest',
    help: '1 while the newest proved backup could not be sent to the bucket, or has waited for that for 12 hours, else 0.',
  },
  stoa_backup_last_sent_timestamp_seconds: {
    type: 'gauge',
    among: 'greatest',
    help: 'When a proved backup was last sent to the bucket; 0 for never.',
  },
  stoa_webhooks_paused: { type: 'gauge', help: 'Webhooks that were paused because their receivers failed.' },
  stoa_webhook_attempts_total: {
    type: 'counter',
    help: 'Attempts of this instance to deliver, by what came of them.',
    labels: ['outcome'],
  },
  stoa_index_waiting: {
    type: 'gauge',
    help: 'Changes of content that the search index lacks. On PostgreSQL at most that many, from 10,000 on.',
  },
  stoa_feed_newest_number: { type: 'gauge', help: 'Number of the newest change of the feed.' },
  stoa_feed_reader_lag: { type: 'gauge', help: 'Changes that the slowest reader of the feed has not read.' },
  stoa_event_streams: { type: 'gauge', help: 'Open streams of events.' },
  stoa_sessions: { type: 'gauge', help: 'Sessions that nobody has ended, counted up to 100,000.' },
  stoa_measured_timestamp_seconds: {
    type: 'gauge',
    help: 'When the figures that need the database were last read; 0 for never.',
  },
  stoa_measure_failures_total: { type: 'counter', help: 'Figures that could not be read from the database.' },
} as const satisfies Record<string, Declared>;

export type MetricName = keyof typeof METRICS;

/** One value now. `part` is for histograms: the suffix of the name. */
export interface Reading {
  readonly name: MetricName;
  readonly value: number;
  readonly labels?: Readonly<Record<string, string | number>>;
  readonly part?: '_bucket' | '_sum' | '_count';
}

/** The readings of one metric with one label. */
export function readingsBy(
  name: MetricName,
  label: string,
  values: Readonly<Record<string, number>>,
): Reading[] {
  return Object.entries(values).map(([of, value]) => ({ name, value, labels: { [label]: of } }));
}

/** Counts that begin at 0, so that Prometheus sees the first step of each. */
export function zerosFor(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, 0]));
}

/** Readings of metrics without labels. */
export function readingsOf(values: Readonly<Partial<Record<MetricName, number>>>): Reading[] {
  return Object.keys(METRICS).flatMap((name) => {
    const value = isMetric(name) ? values[name] : undefined;
    return value === undefined || !isMetric(name) ? [] : [{ name, value }];
  });
}

function isMetric(name: string): name is MetricName {
  return Object.hasOwn(METRICS, name);
}
