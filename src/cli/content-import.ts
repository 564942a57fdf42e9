import { lstat, realpath } from 'node:fs/promises';
import { basename, extname, relative, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findAccountId } from '../accounts/find.ts';
import type { Config } from '../config.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { reasonOf } from '../domain/reason.ts';
import { escaped, shown } from '../domain/shown.ts';
import type { Store } from '../store/store.ts';
import type { Imported, ReadItem } from '../transfer/content/import.ts';
import { type FoundFile, filesBelow } from './files.ts';
import { importBatch } from './import-batch.ts';
import { interruption } from './interruption.ts';
import { ProgressBar } from './progress-bar.ts';
import { ENDINGS, itemsOf, type Read } from './read-items.ts';
import { withStore } from './with-store.ts';

/** One write has at most this many items, and about this many bytes of files, so that other writes hardly wait. */
const BATCH = 50;
const BATCH_BYTES = 512 * 1024;

interface Options {
  /** The author of all items: a user name or an e-mail address. */
  readonly author?: string;
  /** A name for where the items come from, which stays where the folder moves. */
  readonly source?: string;
}

/** Where the import reads, and how it names a file. */
interface Input {
  readonly files: () => AsyncIterable<FoundFile>;
  readonly nameOf: (file: FoundFile) => string;
  readonly keyOf: (file: FoundFile) => string;
}

/**
 * Makes content items of Markdown files and lines of NDJSON, or changes those that an earlier import made of them. A server
 * may run meanwhile. Reports what is refused with file, line and reason, and then ends with the exit code 1.
 */
export async function importContent(config: Config, path: string, options: Options): Promise<void> {
  const input = await openInput(path, options.source);
  await withStore(config, async (store) => {
    await requireAuthor(store, options.author);
    const progress = new ProgressBar(process.stderr);
    try {
      await importFiles(store, input, options, progress, config.database.kind === 'sqlite');
    } catch (error) {
      progress.end();
      // What was committed stays, and the next import leaves it alone.
      throw interruption(
        error,
        (reason) => `The import was interrupted: ${reason}. Run it again to continue.`,
      );
    }
  });
}

/** So that one wrong name is not reported for each file. */
async function requireAuthor(store: Store, author: string | undefined): Promise<void> {
  if (author === undefined || (await store.read(findAccountId, author)) !== null) return;
  throw new OperatorError(`There is no account ${JSON.stringify(author)} (--author).`);
}

/** `rests` is true on SQLite, where only one process can write at a time. */
async function importFiles(
  store: Store,
  input: Input,
  { author }: Options,
  progress: ProgressBar,
  rests: boolean,
): Promise<void> {
  let total = 0;
  for await (const { bytes } of input.files()) total += bytes;
  progress.begin('importing content, bytes', total);
  const counts = { new: 0, changed: 0, unchanged: 0, refused: 0 };
  let waiting: { readonly name: string; readonly read: Read }[] = [];
  let [waitingBytes, done] = [0, 0];

  async function write(): Promise<void> {
    const [batch, began] = [waiting, performance.now()];
    [waiting, waitingBytes] = [[], 0];
    const items: ReadItem[] = batch.flatMap(({ read }) => read.item ?? []);
    const results = await importBatch(store, items);
    let next = 0;
    for (const { name, read } of batch) {
      const result = (read.item && results[next++]) ?? { refusal: read.refusal };
      note(`${shown(name)}:${read.line}`, result);
      done += read.bytes;
    }
    progress.reach(done);
    // A pause as long as the write took, so that a waiting server can write.
    if (rests) await pause(performance.now() - began);
  }

  function note(place: string, result: Imported): void {
    if (typeof result === 'string') counts[result]++;
    else {
      counts.refused++;
      progress.hide();
      process.stdout.write(`${place}: ${escaped(result.refusal)}\n`);
    }
  }

  for await (const file of input.files())
    for await (const read of itemsOf(file, { author, keyOf: input.keyOf })) {
      waiting.push({ name: input.nameOf(file), read });
      waitingBytes += read.bytes;
      if (waiting.length >= BATCH || waitingBytes >= BATCH_BYTES) await write();
    }
  await write();
  progress.end();
  process.stdout.write(
    `${counts.new} items were imported, ${counts.changed} were changed, ${counts.unchanged} were there already, ${counts.refused} were refused.\n`,
  );
  if (counts.refused > 0) process.exitCode = 1;
}

async function openInput(path: string, source: string | undefined): Promise<Input> {
  const root = await realPathOf(path);
  const found = await lstat(root);
  if (found.isDirectory()) {
    const nameOf = (file: FoundFile) => relative(root, file.path);
    return {
      files: () => filesBelow(root, ENDINGS),
      nameOf,
      keyOf: keyBy(source, (file) => nameOf(file).split(sep).join('/')),
    };
  }
  if (!found.isFile() || !ENDINGS.has(extname(root).toLowerCase()))
    throw new OperatorError(`${path} must be a folder, or a file that ends in ${[...ENDINGS].join(', ')}.`);
  const file = { path: root, bytes: found.size };
  return {
    files: async function* () {
      yield file;
    },
    nameOf: () => basename(root),
    keyOf: keyBy(source, () => basename(root)),
  };
}

/** Without a name for the source, a file is known by its whole path. */
function keyBy(source: string | undefined, nameOf: (file: FoundFile) => string): Input['keyOf'] {
  return (file) => (source === undefined ? file.path : JSON.stringify([source, nameOf(file)]));
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${reasonOf(error)}.`);
  }
}
