import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, link, open, rename, rm, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { OperatorError } from '../../domain/operator-error.ts';
import { reasonOf } from '../../domain/reason.ts';
import { MINUTE_MS } from '../../domain/time.ts';
import { appendInParts, removeInParts } from '../../store/large-file.ts';
import { syncFolder } from '../../store/private-files.ts';

/** How the name of a file ends that is not finished, or that a kill left so. */
export const UNFINISHED = '.unfinished';

/**
 * Makes a file (mode 0600) that appears under its name only when it is whole and on disk. `write` ends the output. Fails
 * with OperatorError if the file exists or cannot be made.
 */
export async function writeWholeFile<Result>(
  file: string,
  write: (output: Writable) => Promise<Result>,
): Promise<Result> {
  if (existsSync(file))
    throw new OperatorError(`The file ${file} exists already; name another one, or remove it.`);
  const unfinished = unfinishedName(file);
  const handle = await make(unfinished, file);
  try {
    const result = await write(appendInParts(handle));
    await rename(unfinished, file);
    syncFolder(dirname(file));
    return result;
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Removes such a file, if it exists. A kill meanwhile leaves no part of it under its name. */
export async function removeWholeFile(file: string): Promise<void> {
  if (!existsSync(file)) return;
  const unfinished = unfinishedName(file);
  await rename(file, unfinished);
  await removeInParts(unfinished);
}

/**
 * Does something with such a file that may be removed meanwhile, and keeps its bytes until that is done: under a second
 * name, where the file system has such. A second name that a kill left is not touched any more, so it is removed as what
 * is unfinished.
 */
export async function keepingWholeFile<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const second = unfinishedName(file);
  await link(file, second).catch(() => {});
  try {
    return await keepingNew(second, work);
  } finally {
    await removeInParts(second);
  }
}

/** Does something while a file or folder has a time of just now, so that it is not removed as what a kill left. */
export async function keepingNew<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const touch = () => utimes(path, new Date(), new Date()).catch(() => {});
  await touch();
  const timer = setInterval(touch, MINUTE_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

function unfinishedName(file: string): string {
  return `${file}.${randomBytes(4).toString('hex')}${UNFINISHED}`;
}

async function make(unfinished: string, file: string): Promise<FileHandle> {
  try {
    return await open(unfinished, 'wx', 0o600);
  } catch (error) {
    throw new OperatorError(`The file ${file} cannot be made: ${reasonOf(error)}.`);
  }
}
