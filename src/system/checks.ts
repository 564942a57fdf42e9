import { checkDisk } from '../doctor/files.ts';
import { type Finding, finding } from '../doctor/finding.ts';
import { typed } from '../domain/installation.ts';
import type { JobState } from '../domain/jobs.ts';
import type { MetricName, Reading } from '../domain/metrics.ts';

/** The value of a metric without labels; undefined where nobody reported it. */
export function figureOf(readings: readonly Reading[], name: MetricName): number | undefined {
  return readings.find((each) => each.name === name)?.value;
}

/** What the process knows of its own health, without asking anybody. */
export function checkProcess(
  readings: readonly Reading[],
  jobs: readonly JobState[],
  outbox: 'ok' | 'accounts_only' | 'full' | undefined,
): Finding[] {
  return [checkStorage(readings), ...checkRoom(readings), checkJobs(jobs), ...checkOutbox(outbox)];
}

function checkStorage(readings: readonly Reading[]): Finding {
  if (figureOf(readings, 'stoa_database_up') === 0)
    return finding('database', 'wrong', 'The database does not answer; start it, or see the log.');
  if (figureOf(readings, 'stoa_database_read_only') === 1)
    return finding(
      'database',
      'wrong',
      'The database takes no writes, because it is locked or read-only; see the log.',
    );
  return figureOf(readings, 'stoa_database_full') === 1
    ? finding('database', 'wrong', 'The storage is full; make room, because nothing can be stored.')
    : finding('database', 'ok', 'The database answers and takes writes.');
}

function checkRoom(readings: readonly Reading[]): Finding[] {
  const free = figureOf(readings, 'stoa_disk_free_bytes');
  const size = figureOf(readings, 'stoa_disk_size_bytes');
  if (free === undefined || size === undefined) return [];
  return [checkDisk('the database', { bavail: free, blocks: size, bsize: 1 })];
}

function checkJobs(jobs: readonly JobState[]): Finding {
  const failing = jobs.filter(({ isFailing }) => isFailing).map(({ name }) => name);
  return failing.length === 0
    ? finding('jobs', 'ok', 'All work in the background succeeds.')
    : finding('jobs', 'wrong', `The last run of ${failing.join(', ')} failed; see the log.`);
}

function checkOutbox(outbox: 'ok' | 'accounts_only' | 'full' | undefined): Finding[] {
  if (outbox === undefined) return [];
  const cure = `see whether the mail server answers ("${typed('doctor')}" tries it)`;
  const says = {
    ok: 'There is room for mails that wait.',
    accounts_only: `Too many mails wait, so only accounts are sent new ones; ${cure}.`,
    full: `Too many mails wait, so no new one is sent; ${cure}.`,
  };
  return [finding('mail', outbox === 'ok' ? 'ok' : 'wrong', says[outbox])];
}
