import { type FileHandle, open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { OperatorError } from '../domain/operator-error.ts';
import { hasCode, reasonOf } from '../domain/reason.ts';

/** Writes texts as they come. */
type Output = (texts: AsyncIterable<string>) => Promise<void>;

/**
 * Gives `work` an output: a new file with mode 0600, or standard output without a path. A file that was not finished is
 * removed. Fails with OperatorError where there is such a file already.
 */
export async function toNewFile<Result>(
  path: string | undefined,
  work: (output: Output) => Promise<Result>,
): Promise<Result> {
  if (path === undefined) return work((texts) => pipeline(texts, process.stdout, { end: false }));
  const handle = await make(path);
  try {
    return await work((texts) => pipeline(texts, handle.createWriteStream({ flush: true })));
  } catch (error) {
    await rm(path);
    throw error;
  }
}

async function make(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    throw new OperatorError(
      hasCode(error, 'EEXIST')
        ? `The file ${path} exists already; name another one, or remove it.`
        : `The file ${path} cannot be made: ${reasonOf(error)}.`,
    );
  }
}
