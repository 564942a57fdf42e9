import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { OperatorError } from '../../domain/operator-error.ts';
import { reasonOf } from '../../domain/reason.ts';
import { type Bucket, nameOfBucket } from './bucket.ts';
import { exchange } from './exchange.ts';

/** A part of 16 MiB arrives in this time at 56 kB a second. */
const REQUEST_MS = 5 * 60_000;
const ATTEMPTS = 3;
/** The pause before the second attempt. The next one is four times as long. */
const PAUSE_MS = 1_000;

/** Bytes that arrived changed, a connection that was too slow, and a server that has too much to do. */
const AGAIN = /^(BadDigest|XAmzContentSHA256Mismatch|RequestTimeout|SlowDown|InternalError)$/;
const CURES: Readonly<Record<string, string>> = {
  NoSuchBucket: 'make that bucket, or correct BACKUP_S3_BUCKET',
  InvalidAccessKeyId: 'correct BACKUP_S3_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'correct BACKUP_S3_SECRET_ACCESS_KEY',
  AccessDenied: 'let its key list, write and delete objects there',
  RequestTimeTooSkewed: 'set the clock of this machine',
  AuthorizationHeaderMalformed: 'correct BACKUP_S3_REGION',
  PermanentRedirect: 'correct BACKUP_S3_ENDPOINT and BACKUP_S3_REGION',
  TemporaryRedirect: 'correct BACKUP_S3_ENDPOINT and BACKUP_S3_REGION',
};

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** The name of the object; absent for a request to the bucket. Letters, digits and "/.-" only. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface S3Answer {
  readonly etag: string | undefined;
  /** The document, as XML. */
  readonly text: string;
}

/** What of the waiting may differ in a test. */
export interface Patience {
  readonly requestMs: number;
  readonly pauseMs: number;
}

/**
 * Asks the server, and asks again where that may help. Each request is signed with the SHA-256 of its body, so a server
 * refuses a body that was changed on its way. Fails with OperatorError, in whose text nothing is the server's but a code.
 */
export async function askS3(
  bucket: Bucket,
  request: S3Request,
  signal: AbortSignal,
  { requestMs = REQUEST_MS, pauseMs = PAUSE_MS }: Partial<Patience> = {},
): Promise<S3Answer> {
  for (let attempt = 1, wait = pauseMs; ; attempt++, wait *= 4) {
    const result = await attemptOf(
      bucket,
      request,
      AbortSignal.any([signal, AbortSignal.timeout(requestMs)]),
    );
    signal.throwIfAborted();
    if ('answer' in result) return result.answer;
    if (attempt === ATTEMPTS || !result.isWorthAgain) throw new OperatorError(result.problem);
    await pause(wait, undefined, { signal });
  }
}

type Result = { readonly answer: S3Answer } | { readonly problem: string; readonly isWorthAgain: boolean };

async function attemptOf(bucket: Bucket, request: S3Request, signal: AbortSignal): Promise<Result> {
  try {
    const { status, etag, text } = await exchange(await signed(bucket, request), signal);
    const isDone = status >= 200 && status < 300 && !text.includes('<Error>');
    if (isDone) return { answer: { etag, text } };
    const code = codeIn(text) ?? '';
    const cure = CURES[code] === undefined ? '' : `; ${CURES[code]}`;
    return {
      problem: `${nameOfBucket(bucket)} answers ${[status, code].join(' ').trim()}${cure}.`,
      isWorthAgain: status >= 500 || status === 429 || AGAIN.test(code),
    };
  } catch (error) {
    const why = signal.aborted ? 'it took too long' : reasonOf(error);
    return { problem: `${nameOfBucket(bucket)} gives no answer (${why}).`, isWorthAgain: true };
  }
}

async function signed(bucket: Bucket, { method, key, query, body = new Uint8Array() }: S3Request) {
  const { endpoint, name, region, accessKeyId, secretAccessKey } = bucket;
  const url = new URL(key === undefined ? `${endpoint}/${name}` : `${endpoint}/${name}/${key}`);
  for (const [each, value] of Object.entries(query ?? {})) url.searchParams.set(each, value);
  const sha256 = createHash('sha256').update(body).digest('hex');
  const credentials = { accessKeyId, secretAccessKey, region, service: 's3' };
  const unsigned = { method, url: url.href, headers: { 'x-amz-content-sha256': sha256 }, ...credentials };
  const { headers } = await new AwsV4Signer(unsigned).sign();
  return { url, method, headers: Object.fromEntries(headers), body };
}

/** The code of an error: one word. */
function codeIn(text: string): string | undefined {
  return /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1];
}
