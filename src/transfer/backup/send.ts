import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { OperatorError } from '../../domain/operator-error.ts';
import type { Bucket } from '../s3/bucket.ts';
import { listObjects } from '../s3/list.ts';
import { putFile } from '../s3/put.ts';
import { askS3, type Patience } from '../s3/request.ts';
import { isProvedName } from './folder.ts';
import { databaseIn } from './rotate.ts';
import { keepingWholeFile } from './whole-file.ts';

/** 270 GB at 100 Mbit a second. Newer backups are made meanwhile, and wait. They may remove the file that is sent. */
const SENDING_MS = 6 * 3_600_000;

interface Sending {
  readonly bucket: Bucket;
  /** How many backups of the database stay in the bucket. */
  readonly keep: number;
  readonly signal: AbortSignal;
  readonly patience?: Partial<Patience>;
}

/**
 * Sends a proved backup to the bucket, and then removes all but the newest `keep` there. The object is
 * `<identity of the database>/<name of the file>`, so services that share a bucket do not touch each other's, and objects
 * of any other name stay. A backup that is there already is not sent again. Returns the name of the object. Fails with
 * OperatorError.
 */
export function sendBackup(file: string, sending: Sending): Promise<string> {
  return keepingWholeFile(file, () => send(file, sending));
}

async function send(
  file: string,
  { bucket, keep, signal: stopping, patience = {} }: Sending,
): Promise<string> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(SENDING_MS)]);
  const to = { bucket, signal, patience };
  const handle = await open(file);
  try {
    const folder = `${await identityIn(file)}/`;
    const key = folder + basename(file);
    const before = await listObjects({ ...to, prefix: folder });
    if (before.get(key) !== (await handle.stat()).size) await putFile(handle, { ...to, key });
    // After a clock that was wrong, the names of older ones may come later.
    const others = [...before.keys()]
      .filter((each) => each !== key && isProvedName(each.slice(folder.length)))
      .sort();
    for (const old of others.slice(0, Math.max(0, others.length - (keep - 1))))
      await askS3(bucket, { method: 'DELETE', key: old }, signal, patience);
    return key;
  } catch (error) {
    if (signal.aborted && !stopping.aborted)
      throw new OperatorError(`The backup could not be sent within ${SENDING_MS / 3_600_000} hours.`);
    throw error;
  } finally {
    await handle.close();
  }
}

async function identityIn(file: string): Promise<string> {
  const identity = await databaseIn(file);
  if (identity !== undefined && /^[\w-]{1,64}$/.test(identity)) return identity;
  throw new OperatorError(`The file ${file} is no backup of a known database any more.`);
}
