import { stat } from 'node:fs/promises';
import { type Reading, readingsOf } from '../../domain/metrics.ts';
import { hasCode } from '../../domain/reason.ts';
import { realPathOf } from '../private-files.ts';
import { derivedFileOf } from './derived.ts';

/** How large the files of a database are, for the metrics. */
export async function measureFiles(file: string): Promise<readonly Reading[]> {
  return readingsOf({
    stoa_database_size_bytes: await sizeOf(file),
    stoa_database_log_size_bytes: await sizeOf(`${realPathOf(file)}-wal`),
    stoa_database_index_size_bytes: await sizeOf(derivedFileOf(file)),
  });
}

/** Bytes of a file, 0 where there is none. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
}
