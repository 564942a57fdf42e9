import fc from 'fast-check';
import { type FuzzRequest, REQUEST } from './requests.ts';

/** Bytes that are no proper HTTP, or hardly; the latin1 text may have the names of callers. */
const BAD_PARTS = [
  '\0',
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  ' ',
  ':',
  '\t',
  '\x7f',
  '\xff',
  '\x80',
  '\ud83d',
  '@',
  'HTTP/1.1',
];

const BROKEN: readonly string[] = [
  ...[
    '\r\n\r\n',
    '\n\n',
    ' \r\n\r\n',
    'GET\r\n\r\n',
    'GET /\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    'GET / HTTP/1.0\r\n\r\n',
  ],
  ...[
    'GET /livez HTTP/0.9\r\n\r\n',
    'GET /livez HTTP/2.0\r\nHost: x\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\x16\x03\x01\x02\0\x01\0',
  ],
  ...[
    'GET  /livez HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /livez  HTTP/1.1\r\nHost: x\r\n\r\n',
    'get /livez HTTP/1.1\r\nHost: x\r\n\r\n',
  ],
  ...[
    'GET livez HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET http://y/livez HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET http:// HTTP/1.1\r\nHost: x\r\n\r\n',
  ],
  ...[
    'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
    'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
    'CONNECT /livez HTTP/1.1\r\nHost: x\r\n\r\n',
  ],
  ...[
    'GET /livez HTTP/1.1\nHost: x\n\n',
    'GET /livez HTTP/1.1\rHost: x\r\r',
    '\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n',
  ],
  ...[
    'GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n',
    `GET /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  ],
];

/** Header lines that stand before the others of a request. */
const BAD_HEADERS: readonly string[] = [
  ...[
    'Host: y',
    ' folded',
    '\tfolded',
    'nonsense',
    'A b: c',
    'A : c',
    ': c',
    'A: b\0c',
    'A: b\rc',
    '\xff: x',
    'A: \xff',
  ],
  ...[
    'Content-Length: ten',
    'Content-Length: -1',
    'Content-Length: 0x2',
    'Content-Length: 2, 2',
    'Content-Length: 1e1',
    'Content-Length:',
  ],
  ...[
    'Content-Length: 99999999999999999999',
    'Content-Length: 9007199254740993',
    'Content-Length: 1000000000',
    'Content-Length: +2',
  ],
  ...[
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: chunked, chunked',
    'Transfer-Encoding: x',
  ],
  ...[
    'Transfer-Encoding: identity',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding : chunked',
    'Transfer-Encoding: CHUNKED',
  ],
  ...[
    'Expect: 100-continue',
    'Expect: junk',
    'Expect:',
    'Upgrade: websocket\r\nConnection: Upgrade',
    'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings',
  ],
  ...[
    'Trailer: x',
    'TE: trailers',
    'Connection: keep-alive, close',
    'Connection:',
    `X: ${'y'.repeat(20_000)}`,
    'x:y\r\n'.repeat(2_100).trimEnd(),
  ],
];

const BAD_CHUNKS: readonly string[] = [
  ...[
    'zz\r\n{}\r\n0\r\n\r\n',
    '-1\r\n\r\n',
    'ffffffffffffffff\r\n{}',
    '100000000000000000\r\n{}',
    '2\r\n{}',
    '2\r\n{}\r\n',
    '2\r\n{}\r\n0\r\n',
  ],
  ...[
    '1\r\n{}\r\n0\r\n\r\n',
    '3\r\n{}\r\n0\r\n\r\n',
    '2;x=y\r\n{}\r\n0\r\n\r\n',
    '2;x="\r\n{}\r\n0\r\n\r\n',
    '02\r\n{}\r\n00\r\n\r\n',
    '2\n{}\n0\n\n',
  ],
  ...[
    '2\r\n{}\r\n0\r\nX: y\r\n\r\n',
    '2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n',
    '2\r\n{}\r\n0\r\nbad trailer\r\n\r\n',
    ' 2\r\n{}\r\n0\r\n\r\n',
    '\r\n',
  ],
  ...[
    `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
    `${'1\r\n \r\n'.repeat(5_000)}0\r\n\r\n`,
    `2\r\n{}\r\n0\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
  ],
];

/** What one request on its connection is; `body` is empty where the head has all. */
export const MALFORMED: fc.Arbitrary<FuzzRequest> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.constantFrom(...BROKEN).map((head) => ({ method: 'GET', head, body: Buffer.alloc(0) })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(REQUEST, fc.constantFrom(...BAD_HEADERS))
      .map(([request, line]) => withLine(request, line)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(REQUEST, fc.constantFrom(...BAD_CHUNKS))
      .map(([request, chunks]) => inChunks(request, chunks)),
  },
  { weight: 3, arbitrary: fc.tuple(REQUEST, place(), place(), fc.constantFrom(...BAD_PARTS)).map(replaced) },
  { weight: 1, arbitrary: fc.tuple(REQUEST, place()).map(([request, at]) => cut(request, at)) },
);

function place(): fc.Arbitrary<number> {
  return fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
}

function withLine(request: FuzzRequest, line: string): FuzzRequest {
  const end = request.head.indexOf('\r\n') + 2;
  return { ...request, head: `${request.head.slice(0, end)}${line}\r\n${request.head.slice(end)}` };
}

function inChunks({ method, head }: FuzzRequest, chunks: string): FuzzRequest {
  const others = head.replaceAll(/(?:Content-Length|Transfer-Encoding): .*\r\n/g, '').slice(0, -2);
  return { method, head: `${others}Transfer-Encoding: chunked\r\n\r\n`, body: Buffer.from(chunks, 'latin1') };
}

/** Some characters of the head taken away, and something else in their place. */
function replaced([request, from, length, part]: [FuzzRequest, number, number, string]): FuzzRequest {
  const start = Math.floor(from * request.head.length);
  const end = start + Math.floor(length * 4);
  return { ...request, head: request.head.slice(0, start) + part + request.head.slice(end) };
}

function cut({ method, head, body }: FuzzRequest, at: number): FuzzRequest {
  const length = Math.floor(at * (head.length + body.length));
  return { method, head: head.slice(0, length), body: body.subarray(0, Math.max(length - head.length, 0)) };
}
