import type { JobState } from '../domain/jobs.ts';
import type { Reading } from '../domain/metrics.ts';

/** What the service knows of itself: the sources of the metrics too. */
export interface Figures {
  readonly startedAt: number;
  readonly jobs: () => readonly JobState[];
  /** Figures in memory. */
  readonly readings: () => readonly Reading[];
  /** Figures of the database, which is asked every 15 seconds at most, and waited for two seconds at most. */
  readonly measured: () => Promise<readonly Reading[]>;
  readonly outbox: () => 'ok' | 'accounts_only' | 'full' | undefined;
}
