import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import S3rver from '@20minutes/s3rver';
import type { Bucket } from '../../src/transfer/s3/bucket.ts';
import { type Lifetime, temporaryFolder } from './engines.ts';

const NAME = 'vault';

/** What becomes of a request: it hangs, the connection is cut, or a byte of it is changed on its way. */
export type Fate =
  | 'arrives'
  | 'hangs'
  | 'is cut'
  | 'is changed'
  | { readonly answer: string; readonly status?: number };

export interface S3Server {
  readonly bucket: Bucket;
  readonly settings: Readonly<Record<string, string>>;
  /** Decides what becomes of each later request. */
  readonly decide: (fate: (request: IncomingMessage) => Fate) => void;
  /** Method and path of all requests, oldest first. */
  readonly requests: string[];
  /** The names of all objects. */
  readonly names: () => Promise<string[]>;
  readonly read: (key: string) => Promise<Buffer>;
  readonly write: (key: string, bytes: Uint8Array<ArrayBuffer>) => Promise<void>;
  readonly makeBucket: () => Promise<void>;
}

/**
 * An S3 server that checks signatures and clocks, behind a front that checks the SHA-256 of each body, as S3 does and this
 * server does not. The bucket is there unless `isBucketMissing`.
 */
export async function startS3(t: Lifetime, { isBucketMissing = false } = {}): Promise<S3Server> {
  const directory = await temporaryFolder(t);
  const buckets = isBucketMissing ? [] : [{ name: NAME }];
  const behind = new S3rver({
    ...{ address: '127.0.0.1', port: 0, silent: true, directory },
    configureBuckets: buckets,
  });
  const { port } = await behind.run();
  let fateOf: (request: IncomingMessage) => Fate = () => 'arrives';
  const requests: string[] = [];
  const front = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const fate = fateOf(request);
    if (typeof fate === 'object') return response.writeHead(fate.status ?? 200).end(fate.answer);
    if (fate === 'is cut') return request.socket.destroy();
    const body = await buffer(request).catch(() => undefined);
    // The sender gave up.
    if (body === undefined) return;
    if (fate === 'hangs') return;
    if (fate === 'is changed') body.writeUInt8(body.readUInt8(body.length - 1) ^ 1, body.length - 1);
    const sha256 = createHash('sha256').update(body).digest('hex');
    if (request.headers['x-amz-content-sha256'] !== sha256) return refuseChanged(response);
    const { method, url: path, headers } = request;
    const passed = forward({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passed.end(body);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  t.after(async () => {
    front.closeAllConnections();
    front.close();
    await behind.close();
  });
  const endpoint = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  // Whoever reads and writes for a test asks the server itself, which needs no key then.
  const own = `http://127.0.0.1:${port}/${NAME}`;
  return {
    bucket: {
      ...{ endpoint, name: NAME, region: 'us-east-1' },
      ...{ accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    },
    settings: {
      BACKUP_S3_ENDPOINT: endpoint,
      BACKUP_S3_BUCKET: NAME,
      BACKUP_S3_ACCESS_KEY_ID: 'S3RVER',
      BACKUP_S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    decide: (fate) => {
      fateOf = fate;
    },
    requests,
    names: async () => {
      const list = await (await fetch(`${own}?list-type=2`)).text();
      return [...list.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => key);
    },
    read: async (key) => Buffer.from(await (await fetch(`${own}/${key}`)).arrayBuffer()),
    write: async (key, body) => {
      const { status } = await fetch(`${own}/${key}`, { method: 'PUT', body });
      if (status !== 200) throw new Error(`${key} was not written: ${status}`);
    },
    makeBucket: async () => {
      await mkdir(join(directory, NAME));
    },
  };
}

function refuseChanged(response: ServerResponse): void {
  response.statusCode = 400;
  response.end('<Error><Code>XAmzContentSHA256Mismatch</Code></Error>');
}
