import { type BackupSettings, toBackupsState } from '../backups/contract.ts';
import { finding } from '../doctor/finding.ts';
import { checkGoingPublic, type PublicSettings } from '../doctor/public.ts';
import type { JobState } from '../domain/jobs.ts';
import { isoTime } from '../domain/time.ts';
import { withoutPaths } from '../domain/without-paths.ts';
import type { WorkerState } from '../domain/workers.ts';
import { answers, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { Store } from '../store/store.ts';
import { checkProcess, figureOf } from './checks.ts';
import { System } from './contract.ts';
import type { Figures } from './figures.ts';
import { lookAtSystem } from './look.ts';
import { type Rates, STEP_MS } from './rates.ts';
import type { ShownSetting } from './settings.ts';

export interface SystemParts {
  readonly store: Store;
  readonly clock: () => number;
  readonly version: string;
  readonly engine: 'sqlite' | 'postgres';
  readonly figures: Figures;
  readonly rates: Rates;
  readonly readWorkers: () => Promise<readonly WorkerState[]>;
  readonly backups: BackupSettings;
  readonly publicSettings: PublicSettings;
  readonly settings: readonly ShownSetting[];
}

/** How the service is, for admins. */
export function systemRoutes(app: App, parts: SystemParts): void {
  const { store, clock, version, engine, figures, rates, readWorkers, backups } = parts;
  const { publicSettings, settings } = parts;
  const goingPublic = checkGoingPublic(publicSettings);
  const node = process.versions.node;
  const known = { version, node, engine, started_at: isoTime(figures.startedAt), settings: [...settings] };
  app.get(
    '/api/system',
    {
      config: { access: 'admin', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'getSystem',
        tags: ['system'],
        summary: 'How is the service?',
        description:
          'Its health, its workers, its work in the background, what waits, sizes, rates and settings. Workers are those of the machine that answers; jobs, rates and settings those of the instance that answers. For admins only.',
        response: answers(System, 'How the service is.', 401, 403),
      },
    },
    async () => {
      const [workers, measured] = await Promise.all([readWorkers(), figures.measured()]);
      const readings = [...figures.readings(), ...measured];
      const now = clock();
      const looked = await store.read(lookAtSystem, { every: backups.every, bucket: backups.bucket, now });
      const jobs = figures.jobs();
      const checks = [...checkProcess(readings, jobs, figures.outbox()), ...looked.findings].map(
        ({ check, state, says }) => finding(check, state, withoutPaths(says, backups.folders)),
      );
      const value = (name: Parameters<typeof figureOf>[1]) => figureOf(readings, name);
      return ok({
        ...known,
        checks,
        going_public: goingPublic,
        workers: workers.map(toWorker),
        jobs: jobs.map(toJob),
        waiting: without({
          mails: value('stoa_mails_waiting'),
          webhook_deliveries: value('stoa_webhook_deliveries_waiting'),
          webhooks_paused: value('stoa_webhooks_paused'),
          index_changes: value('stoa_index_waiting'),
          feed_changes: value('stoa_feed_reader_lag'),
        }),
        sizes: without({
          database_bytes: value('stoa_database_size_bytes'),
          log_bytes: value('stoa_database_log_size_bytes'),
          index_bytes: value('stoa_database_index_size_bytes'),
          disk_free_bytes: value('stoa_disk_free_bytes'),
          disk_bytes: value('stoa_disk_size_bytes'),
          sessions: value('stoa_sessions'),
          event_streams: value('stoa_event_streams'),
        }),
        rates: { step_seconds: STEP_MS / 1_000, ...rates.series },
        backups: toBackupsState(looked.backups, looked.sending, backups, now),
      });
    },
  );
}

function toJob({ name, every, runs, failures, lastSuccess, isFailing }: JobState) {
  return {
    ...{ name, runs, failures, every_seconds: every / 1_000, failing: isFailing },
    ...(lastSuccess !== undefined && { last_success_at: isoTime(lastSuccess) }),
  };
}

function toWorker({ number, isServing, restarts, startedAt, memoryBytes }: WorkerState) {
  return {
    ...{ number, serving: isServing, restarts },
    ...(startedAt !== undefined && { started_at: isoTime(startedAt) }),
    ...(memoryBytes !== undefined && { memory_bytes: memoryBytes }),
  };
}

/** Without the members that are undefined. */
function without<Values extends Readonly<Record<string, number | undefined>>>(values: Values) {
  const known = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as { [Name in keyof Values]?: number };
}
