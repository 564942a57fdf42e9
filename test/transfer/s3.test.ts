import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { listObjects } from '../../src/transfer/s3/list.ts';
import { putFile } from '../../src/transfer/s3/put.ts';
import { lifetimeOfSuite, temporaryFolder } from '../support/engines.ts';
import { type Fate, type S3Server, startS3 } from '../support/s3.ts';

const MIB = 1024 * 1024;
const BYTES = randomBytes(17 * MIB);
/** Times that a test can wait for. */
const patience = { requestMs: 30_000, pauseMs: 1 };

describe('Putting files into a bucket', () => {
  const lifetime = lifetimeOfSuite();
  let s3: S3Server;
  let [file, small] = ['', ''];
  before(async () => {
    s3 = await startS3(lifetime);
    file = join(await temporaryFolder(lifetime), 'file');
    small = `${file}-small`;
    await writeFile(file, BYTES);
    await writeFile(small, BYTES.subarray(0, 5));
  });

  const put = async (
    { signal }: TestContext,
    key: string,
    { of = file, bucket = {}, requestMs = patience.requestMs, stopping = signal } = {},
  ) => {
    const handle = await open(of);
    const to = { ...s3.bucket, ...bucket };
    await putFile(handle, {
      ...{ bucket: to, key, signal: stopping },
      patience: { ...patience, requestMs },
    }).finally(() => handle.close());
  };
  /** The first requests that fit meet this fate. All others arrive. */
  const meet = (fate: Fate, fits: RegExp, times = Number.POSITIVE_INFINITY) => {
    let left = times;
    s3.requests.length = 0;
    s3.decide(({ method, url }: IncomingMessage) =>
      fits.test(`${method} ${url}`) && left-- > 0 ? fate : 'arrives',
    );
  };
  const seen = (what: RegExp) => s3.requests.filter((each) => what.test(each)).length;

  /** What ends the upload whose parts were sent. */
  const aborted = () => {
    const [, uploadId] = /uploadId=(\w+)/.exec(s3.requests.join()) ?? [];
    return new RegExp(`^DELETE /vault/[^?]+\\?uploadId=${uploadId}$`);
  };
  const namesBelow = async (folder: string) => (await s3.names()).filter((name) => name.startsWith(folder));

  it('A file of two parts arrives byte for byte, and a small or empty one in one request', async (t) => {
    meet('arrives', /./);
    await put(t, 'a/large');
    assert.deepEqual(
      s3.requests.map((each) => each.replace(/uploadId=.*/, 'uploadId')),
      [
        'POST /vault/a/large?uploads=',
        ...[1, 2].map((part) => `PUT /vault/a/large?partNumber=${part}&uploadId`),
        'POST /vault/a/large?uploadId',
      ],
    );
    assert.ok(BYTES.equals(await s3.read('a/large')));
    for (const size of [0, 5]) {
      const of = `${file}-${size}`;
      await writeFile(of, BYTES.subarray(0, size));
      meet('arrives', /./);
      await put(t, `a/${size}`, { of });
      assert.deepEqual(s3.requests, [`PUT /vault/a/${size}`]);
      assert.ok(BYTES.subarray(0, size).equals(await s3.read(`a/${size}`)));
    }
    const { signal } = t;
    const sizes = await listObjects({ bucket: s3.bucket, prefix: 'a/', signal });
    assert.deepEqual([...sizes].sort(), [
      ['a/0', 0],
      ['a/5', 5],
      ['a/large', BYTES.length],
    ]);
  });

  it('A byte that is changed on its way is refused, and the part is sent again', async (t) => {
    meet('is changed', /partNumber=2/, 1);
    await put(t, 'b/once');
    assert.equal(seen(/partNumber=2/), 2);
    assert.ok(BYTES.equals(await s3.read('b/once')));
    meet('is changed', /partNumber=2/);
    await assert.rejects(put(t, 'b/always'), /answers 400 XAmzContentSHA256Mismatch\.$/);
    assert.deepEqual([seen(/partNumber=2/), seen(/^POST/)], [3, 1]);
    assert.deepEqual(await namesBelow('b/'), ['b/once']);
  });

  it('A failure that may pass is tried again, whichever code the server has for it', async (t) => {
    const codes = ['BadDigest', 'XAmzContentSHA256Mismatch', 'RequestTimeout', 'SlowDown', 'InternalError'];
    for (const code of codes) {
      meet({ answer: `<Error><Code>${code}</Code></Error>` }, /PUT/, 1);
      await put(t, `e/${code}`, { of: small });
      assert.equal(seen(/PUT/), 2, code);
      assert.ok(BYTES.subarray(0, 5).equals(await s3.read(`e/${code}`)));
    }
    // Such as a proxy in front, which has no codes.
    for (const status of [429, 500, 503]) {
      meet({ answer: 'later', status }, /PUT/, 1);
      await put(t, `e/${status}`, { of: small });
      assert.equal(seen(/PUT/), 2, String(status));
    }
    meet({ answer: 'never', status: 403 }, /PUT/);
    await assert.rejects(put(t, 'e/403', { of: small }), /answers 403\.$/);
    assert.equal(seen(/PUT/), 1);
  });

  it('A server that hangs or cuts is asked three times, and the parts before are removed', async (t) => {
    meet('is cut', /partNumber=2/);
    // The system says in one of several ways that a connection was cut.
    await assert.rejects(put(t, 'c/cut'), /gives no answer \((?!it took too long).+\)\.$/);
    assert.deepEqual([seen(/partNumber=2/), seen(aborted())], [3, 1]);
    meet('hangs', /PUT/);
    await assert.rejects(
      // Long enough for a request to arrive on a busy machine.
      put(t, 'c/hung', { of: small, requestMs: 5_000 }),
      /gives no answer \(it took too long\)\.$/,
    );
    assert.equal(seen(/PUT/), 3);
    meet('arrives', /./);
    const stopping = new AbortController();
    s3.decide(({ url }) => {
      if (!url?.includes('partNumber=2')) return 'arrives';
      stopping.abort(new Error('The service stops.'));
      return 'hangs';
    });
    await assert.rejects(put(t, 'c/stopped', { stopping: stopping.signal }), /The service stops/);
    assert.equal(seen(aborted()), 1);
    assert.deepEqual(await namesBelow('c/'), []);
  });

  it('What only the operator can correct is asked for once, and the answer says which setting it is', async (t) => {
    const wrong = {
      BACKUP_S3_BUCKET: { name: 'absent' },
      BACKUP_S3_ACCESS_KEY_ID: { accessKeyId: 'sesame-id' },
      BACKUP_S3_SECRET_ACCESS_KEY: { secretAccessKey: 'sesame-key' },
    };
    for (const [setting, bucket] of Object.entries(wrong)) {
      meet('arrives', /./);
      await assert.rejects(put(t, 'd/wrong', { bucket }), ({ message }: Error) => {
        assert.match(message, new RegExp(`^http://127.* answers 40[34] \\w+; .*${setting}\\.$`));
        return !message.includes('sesame');
      });
      assert.equal(s3.requests.length, 1);
    }
  });

  it('A list of several pages is read to its end, and a server that says nothing but errors is not believed', async (t) => {
    const { signal } = t;
    const list = () => listObjects({ bucket: s3.bucket, prefix: 'e/', signal, patience });
    const pages = [
      '<L><IsTruncated>true</IsTruncated><Contents><Key>e/1</Key><Size>1</Size></Contents><Contents><Key>other</Key><Size>1</Size></Contents><NextContinuationToken>a&amp;b=</NextContinuationToken></L>',
      '<L><IsTruncated>false</IsTruncated><Contents><Size>2</Size><Key>e/2</Key></Contents></L>',
    ];
    s3.requests.length = 0;
    s3.decide(({ url }) => ({ answer: pages[url?.includes('continuation-token=a%26b%3D') ? 1 : 0] ?? '' }));
    assert.deepEqual(
      [...(await list())],
      [
        ['e/1', 1],
        ['e/2', 2],
      ],
    );
    s3.decide(() => ({ answer: pages[0] ?? '' }));
    await assert.rejects(list(), /too many objects/);
    s3.decide(() => ({ answer: '<Error><Code>InternalError</Code><Message>sesame</Message></Error>' }));
    await assert.rejects(list(), /answers 200 InternalError\.$/);
    // As many beginnings without an end as an answer may have: looking for the end of each would take a quarter of an hour.
    s3.decide(() => ({ answer: `<L>${'<Contents>'.repeat(400_000)}</L>` }));
    assert.deepEqual([...(await list())], []);
  });
});
