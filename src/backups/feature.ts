import type { OpenFeature } from '../feature.ts';
import type { Store } from '../store/store.ts';
import { type BackupLog, backupJob } from './job.ts';
import { oneListing } from './one-listing.ts';
import { type BackupRouteParts, backupRoutes } from './routes.ts';
import { sendingJob } from './sending.ts';

/** How backups are made, sent and listed is given, because no room may do so. */
interface Context {
  readonly store: Store;
  readonly log: BackupLog;
  readonly clock: () => number;
  readonly settings: BackupRouteParts['settings'];
  readonly makeBackup: (stopping: AbortSignal) => Promise<string>;
  readonly listFiles: BackupRouteParts['listFiles'];
  readonly send: (file: string, stopping: AbortSignal) => Promise<string>;
}

/** Backups that are made at their time or when an admin asks, and sent to a bucket. */
export function openBackups(context: Context): OpenFeature {
  const { store, log, clock, settings, makeBackup, send } = context;
  const { every, bucket } = settings;
  const { job, health, readings } = backupJob({ store, log, clock, every, makeBackup });
  const sending = bucket && sendingJob({ store, log, clock, bucket: bucket.address, send });
  const listFiles = oneListing(context.listFiles);
  return {
    routes: (app) => backupRoutes(app, { store, clock, settings, listFiles }),
    jobs: [job, ...(sending ? [sending.job] : [])],
    readings: () => [...readings(), ...(sending?.readings() ?? [])],
    checks: {
      ...(every !== undefined && { backups: health }),
      ...(sending && { bucket: sending.health }),
    },
  };
}
