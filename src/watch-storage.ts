import { statfs } from 'node:fs/promises';
import type { FastifyBaseLogger } from 'fastify';
import { lowRoomOf } from './domain/disk-room.ts';
import { isStorageFull, isStorageReadOnly } from './domain/failure.ts';
import type { Job } from './domain/jobs.ts';
import { type Reading, readingsOf } from './domain/metrics.ts';
import { reasonOf } from './domain/reason.ts';
import type { Store } from './store/store.ts';

/** Milliseconds between two checks: does the database answer, and how much of the disk is free? */
const LOOK_MS = 1_000;

/** The warning ends, and may be repeated, when this many times as much is free. */
const RELIEF = 1.25;

interface Storage {
  /** The name that the log shows. */
  readonly name: string;
  /** The file of an embedded database. Undefined for a server, whose disk we cannot see. */
  readonly file: string | undefined;
}

interface StorageWatch {
  readonly job: Job;
  /** Figures for the metrics. */
  readonly readings: () => readonly Reading[];
}

type Trouble = 'none' | 'away' | 'full' | 'readOnly';

const BEGINS = {
  away: 'the database does not answer',
  full: 'the storage is full; nothing can be stored until there is room',
  readOnly: 'the database answers, but takes no writes; nothing can be stored until it does',
};
const ENDS = {
  away: 'the database answers again',
  full: 'the storage has room again',
  readOnly: 'the database takes writes again',
};

/**
 * Logs when the database does not answer, when it is full or takes no writes, and when the disk of an embedded one is nearly full. Each
 * gets one line when it begins and one when it ends.
 */
export function watchStorage({ name, file }: Storage, store: Store, logger: FastifyBaseLogger): StorageWatch {
  let trouble: Trouble = 'none';
  let disk: readonly Reading[] = [];
  let isLow = false;

  const lookAtDatabase = async () => {
    const [found, error] = await troubleOf(store);
    if (found !== trouble) {
      if (trouble !== 'none') logger.info({ database: name }, ENDS[trouble]);
      if (found !== 'none') logger.error({ database: name, cause: reasonOf(error) }, BEGINS[found]);
    }
    trouble = found;
  };

  const lookAtDisk = async () => {
    if (file === undefined) return;
    const { bavail, blocks, bsize } = await statfs(file);
    disk = readingsOf({ stoa_disk_free_bytes: bavail * bsize, stoa_disk_size_bytes: blocks * bsize });
    const low = lowRoomOf(blocks * bsize);
    const wasLow = isLow;
    isLow = bavail * bsize < (wasLow ? low * RELIEF : low);
    const what = { database: name, free_mb: megabytes(bavail * bsize), of_mb: megabytes(blocks * bsize) };
    if (isLow && !wasLow)
      logger.warn(what, 'the disk is nearly full; make room before nothing can be stored');
    if (wasLow && !isLow) logger.info(what, 'the disk is no longer nearly full');
  };

  const run = async () => {
    await lookAtDatabase();
    await lookAtDisk();
  };
  const state = () =>
    readingsOf({
      stoa_database_up: trouble === 'away' ? 0 : 1,
      stoa_database_full: trouble === 'full' ? 1 : 0,
      stoa_database_read_only: trouble === 'readOnly' ? 1 : 0,
    });
  return {
    job: { name: 'watching the storage', every: LOOK_MS, run },
    readings: () => [...state(), ...disk],
  };
}

async function troubleOf(store: Store): Promise<[Trouble, unknown?]> {
  try {
    await store.ping();
    return ['none'];
  } catch (error) {
    if (isStorageFull(error)) return ['full', error];
    return [isStorageReadOnly(error) ? 'readOnly' : 'away', error];
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}
