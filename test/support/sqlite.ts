import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hashOfSources } from '../../scripts/sources.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { DERIVED } from '../../src/schema/derived.ts';
import { derivedFileOf, prepareDerived } from '../../src/store/sqlite/derived.ts';

const CACHE = new URL('../../node_modules/.cache/stoa/', import.meta.url).pathname;

let template: Promise<string> | undefined;

/**
 * Puts a database with the schema as it is now into the folder, and an empty derived file: copying them takes a hundredth
 * of the time of all steps.
 */
export async function copyMigratedFile(folder: string): Promise<void> {
  template ??= migratedTemplate();
  const [made, file] = [await template, join(folder, 'stoa.db')];
  await copyFile(made, file);
  await copyFile(derivedFileOf(made), derivedFileOf(file));
}

/** The first test file of these sources makes it, for all that follow. */
async function migratedTemplate(): Promise<string> {
  const file = join(CACHE, `template-${hashOfSources().slice(0, 16)}.db`);
  if (existsSync(file)) return file;
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'new-template-'));
  const made = join(folder, 'stoa.db');
  await migrateStore({ kind: 'sqlite', file: made }, undefined, () => {});
  prepareDerived(made, DERIVED);
  // Two test files may come here at once; each puts whole files there.
  await rename(derivedFileOf(made), derivedFileOf(file));
  await rename(made, file);
  await rm(folder, { recursive: true });
  return file;
}
