import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { constants, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DERIVED } from '../../src/schema/derived.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import type { Prepared, Target } from '../target.ts';
import type { Dataset } from './datasets.ts';

const CACHE = new URL('../.data/', import.meta.url).pathname;
/** The database, and its derived file. */
const SUFFIXES = ['', '-derived'];
const BUILDER = new URL('./build-process.ts', import.meta.url);

/** SQLite files, kept in bench/.data for further runs. Their names have the VERSION that built them. */
export const sqliteTarget: Target = {
  name: 'SQLite',
  describe: async () => [],

  async build(datasets) {
    await mkdir(CACHE, { recursive: true });
    await dropOutdated();
    const missing: Dataset[] = [];
    for (const dataset of datasets) if (!(await exists(fileOf(dataset)))) missing.push(dataset);
    if (missing.length === 0) return;
    process.stderr.write(`building ${missing.map(({ name }) => name).join(', ')} ...\n`);
    const start = performance.now();
    await Promise.all(missing.map(buildOne));
    process.stderr.write(`built in ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
  },

  async prepare(dataset) {
    const prepared = await emptyFolder();
    const file = join(prepared.settings.DATA_DIR, 'stoa.db');
    for (const suffix of SUFFIXES) await copySynced(fileOf(dataset) + suffix, file + suffix);
    return prepared;
  },

  prepareEmpty: emptyFolder,
};

async function copySynced(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  // Otherwise the kernel would write the copy to disk while the row measures writes to the disk.
  const copy = await open(to, 'r+');
  await copy.sync();
  await copy.close();
}

async function emptyFolder(): Promise<Prepared & { settings: { DATA_DIR: string } }> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'run-'));
  return {
    settings: { DATA_DIR: folder },
    release: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Builds a dataset in its own process, so that several are built at once and leave no memory behind. */
async function buildOne(dataset: Dataset): Promise<void> {
  const file = fileOf(dataset);
  const unfinished = `${file}.unfinished`;
  for (const suffix of SUFFIXES) await rm(unfinished + suffix, { force: true });
  const builder = fork(BUILDER, [unfinished, JSON.stringify(dataset)]);
  const [code] = await once(builder, 'exit');
  if (code !== 0) throw new Error(`Building ${dataset.name} failed.`);
  // The database comes last: if it exists, the whole dataset does.
  for (const suffix of SUFFIXES.toReversed()) await rename(unfinished + suffix, file + suffix);
}

export function fileOf({ name }: Dataset): string {
  return join(CACHE, `${name}-${VERSION}.db`);
}

/** Changes with the schema and the code that makes the rows, but not with the code that folds text and makes words. */
const VERSION = (() => {
  const hash = createHash('sha256');
  const dialect = {
    engine: 'sqlite',
    id: 'id',
    integer: 'integer',
    key: 'key',
    tableOptions: ' STRICT',
  } as const;
  for (const { name, statements } of MIGRATIONS) hash.update([name, ...statements(dialect)].join(';\n'));
  hash.update(JSON.stringify(DERIVED));
  for (const name of ['accounts.ts', 'items.ts', 'random.ts', 'sqlite-fill.ts', 'build-process.ts'])
    hash.update(readFileSync(new URL(name, import.meta.url)));
  return hash.digest('hex').slice(0, 12);
})();

async function dropOutdated(): Promise<void> {
  const outdated = readdirSync(CACHE).filter(
    (name) => /\.db(-derived)?$/.test(name) && !name.includes(VERSION),
  );
  for (const name of outdated) await rm(join(CACHE, name), { force: true });
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
