import type { FileHandle } from 'node:fs/promises';
import { OperatorError } from '../../domain/operator-error.ts';
import type { Bucket } from './bucket.ts';
import { askS3, type Patience } from './request.ts';

/** What is in memory at a time. A server takes no part of less than 5 MiB but the last one. */
const PART_BYTES = 16 * 1024 * 1024;
/** A server takes no more parts. */
const MOST_PARTS = 10_000;
const MIB = 1024 * 1024;
/** An upload that failed is given up in this time. */
const ABORT_MS = 2_000;

export interface Put {
  readonly bucket: Bucket;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly patience?: Partial<Patience>;
}

/**
 * Puts a file into the bucket. The object appears only when it is whole. A file of more than a part goes in parts, one
 * after the other, and where one fails, the parts before it are removed.
 */
export async function putFile(handle: FileHandle, put: Put): Promise<void> {
  const { size } = await handle.stat();
  const partBytes = Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS / MIB) * MIB);
  const buffer = Buffer.allocUnsafeSlow(Math.min(size, partBytes));
  if (size <= partBytes) {
    const body = await readWhole(handle, buffer, 0);
    await ask(put, { method: 'PUT', body });
    return;
  }
  const { text } = await ask(put, { method: 'POST', query: { uploads: '' } });
  const uploadId = /<UploadId>([^<>&]{1,1024})<\/UploadId>/.exec(text)?.[1];
  if (uploadId === undefined) throw new OperatorError(`${put.bucket.endpoint} begins no upload in parts.`);
  try {
    const parts: string[] = [];
    for (let begin = 0; begin < size; begin += partBytes) {
      const body = await readWhole(handle, buffer.subarray(0, Math.min(partBytes, size - begin)), begin);
      const partNumber = String(parts.length + 1);
      const { etag } = await ask(put, { method: 'PUT', query: { partNumber, uploadId }, body });
      if (!etag || !/^[\w"/+=-]{1,128}$/.test(etag))
        throw new OperatorError(`${put.bucket.endpoint} names no part that it got.`);
      parts.push(`<Part><PartNumber>${partNumber}</PartNumber><ETag>${etag}</ETag></Part>`);
    }
    const whole = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
    await ask(put, { method: 'POST', query: { uploadId }, body: new TextEncoder().encode(whole) });
  } catch (error) {
    await abort(put, uploadId);
    throw error;
  }
}

function ask({ bucket, key, signal, patience }: Put, request: Omit<Parameters<typeof askS3>[1], 'key'>) {
  return askS3(bucket, { ...request, key }, signal, patience);
}

/** Also while the service stops. Where it fails, the server has parts that its lifecycle rules have to remove. */
async function abort({ bucket, key }: Put, uploadId: string): Promise<void> {
  const request = { method: 'DELETE', key, query: { uploadId } } as const;
  await askS3(bucket, request, AbortSignal.timeout(ABORT_MS)).catch(() => {});
}

/** Fills the buffer with the bytes of the file from this place on. */
async function readWhole(handle: FileHandle, buffer: Buffer<ArrayBuffer>, begin: number) {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, begin + filled);
    if (bytesRead === 0) throw new OperatorError('The backup file became shorter while it was sent.');
    filled += bytesRead;
  }
  return buffer;
}
