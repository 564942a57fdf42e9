import type { FileHandle } from 'node:fs/promises';
import { OperatorError } from '../../domain/operator-error.ts';
import { schemaOf } from '../../store/move-end.ts';
import type { MoveListener } from '../backlog.ts';
import {
  cutOrChanged,
  DIGEST_BYTES,
  FORMAT,
  type Footer,
  type Header,
  newDigest,
  readerOf,
  readFooter,
  readHeader,
} from './format.ts';
import { type AnyHeader, isAnyHeader, isFooterOf, isHeader } from './shape.ts';

/** A backup whose every byte was checked. */
export interface Verified {
  readonly header: Header;
  readonly footer: Footer;
  /** The bytes of the compressed rows: from the first on, before the second. */
  readonly begin: number;
  readonly end: number;
  /** The digest of the file. */
  readonly identity: string;
}

/**
 * Reads all of the file and compares its digest. `schema` has the steps of this version. Fails with OperatorError where
 * the file is no backup, was cut off or changed, or is of another version.
 */
export async function verifyBackup(
  file: { readonly name: string; readonly handle: FileHandle },
  schema: readonly { readonly name: string }[],
  listener: MoveListener,
): Promise<Verified> {
  const { name, handle } = file;
  const { size } = await handle.stat();
  const read = readerOf(handle);
  const start = await readHeader(read);
  if (!start) throw noBackup(name);
  const digest = await digestOf(handle, size, listener);
  const kept = await read(Math.max(0, size - DIGEST_BYTES), DIGEST_BYTES);
  if (!kept.equals(digest)) throw cutOrChanged(name);
  // From here on the file is as it was written, but not always by Stoa.
  const { header } = start;
  if (!isAnyHeader(header)) throw noBackup(name);
  if (header.format !== FORMAT) throw otherVersion(name, header, 'newer');
  const stop = await readFooter(read, size);
  if (!stop || stop.end <= start.begin) throw cutOrChanged(name);
  if (!isHeader(header) || !isFooterOf(header, stop.footer)) throw noBackup(name);
  const fits = schemaOf(header.schema, schema, true);
  if (fits !== 'current') throw otherVersion(name, header, fits);
  return {
    header,
    footer: stop.footer,
    begin: start.begin,
    end: stop.end,
    identity: `backup ${digest.toString('hex')}`,
  };
}

function noBackup(name: string): OperatorError {
  return new OperatorError(`The file ${name} is no backup of Stoa, or its beginning is damaged.`);
}

function otherVersion(name: string, { stoa }: AnyHeader, fits: string): OperatorError {
  const [version, cure] =
    fits === 'older'
      ? ['an older', `restore it with Stoa ${stoa}, and then upgrade`]
      : ['a newer or another', `restore it with Stoa ${stoa}`];
  return new OperatorError(
    `The backup ${name} was made by ${version} version of Stoa, and its tables differ from those of this one; ${cure}. Nothing was restored.`,
  );
}

async function digestOf(handle: FileHandle, size: number, listener: MoveListener): Promise<Buffer> {
  const digest = newDigest();
  listener.begin('checking the file', size);
  let done = 0;
  if (size <= DIGEST_BYTES) return digest.digest();
  const bytes = handle.createReadStream({
    start: 0,
    end: size - DIGEST_BYTES - 1,
    autoClose: false,
    highWaterMark: CHUNK_BYTES,
  });
  for await (const chunk of bytes) {
    digest.update(chunk);
    done += chunk.length;
    listener.reach(done);
  }
  return digest.digest();
}

const CHUNK_BYTES = 1024 * 1024;
