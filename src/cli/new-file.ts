import { pipeline } from 'node:stream/promises';
import { writeWholeFile } from '../transfer/backup/whole-file.ts';
import { unlessInterrupted } from './stop-signals.ts';

/** Writes texts as they come. */
type Output = (texts: AsyncIterable<string>) => Promise<void>;

/**
 * Gives `work` an output: a new file with mode 0600, which appears when it is whole, or standard output without a path.
 * Fails with OperatorError where there is such a file already, and where a signal interrupts it.
 */
export async function toNewFile<Result>(
  path: string | undefined,
  work: (output: Output) => Promise<Result>,
): Promise<Result> {
  return unlessInterrupted('Interrupted. The export was not finished.', (signal) => {
    if (path === undefined) return work((texts) => pipeline(texts, process.stdout, { end: false, signal }));
    return writeWholeFile(path, (output) => work((texts) => pipeline(texts, output, { signal })));
  });
}
