import { statfs } from 'node:fs/promises';
import type { FastifyBaseLogger } from 'fastify';

import { isStorageFull } from './domain/failure.ts';
import type { Job } from './domain/jobs.ts';
import { reasonOf } from './domain/reason.ts';
import type { Store } from './store/store.ts';

/** How often the database is asked whether it answers, and its disk how much is free. */
const LOOK_MS = 1_000;

/** The log warns of a disk with less than this part of it free, or with less than so many bytes where that is less. */
const LOW_PART = 0.1;
const LOW_BYTES = 1024 ** 3;
/** The warning ends, and may come again, when this many times as much is free. */
const RELIEF = 1.25;

interface Storage {
  /** As the log shows it. */
  readonly name: string;
  /** Of an embedded database; the disk of a server is not ours to look at. */
  readonly file: string | undefined;
}

type Trouble = 'none' | 'away' | 'full';

const BEGINS = {
  away: 'the database does not answer',
  full: 'the storage is full; nothing can be stored until there is room',
};
const ENDS = { away: 'the database answers again', full: 'the storage has room again' };

/**
 * One line in the log when the database stops to answer, when it is full and, for an embedded one, when its disk is
 * nearly full, and one when that is over.
 */
export function watchStorage({ name, file }: Storage, store: Store, logger: FastifyBaseLogger): Job {
  let trouble: Trouble = 'none';
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
    const low = Math.min(blocks * bsize * LOW_PART, LOW_BYTES);
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
  return { name: 'watching the storage', every: LOOK_MS, run };
}

async function troubleOf(store: Store): Promise<[Trouble, unknown?]> {
  try {
    await store.ping();
    return ['none'];
  } catch (error) {
    return [isStorageFull(error) ? 'full' : 'away', error];
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}
