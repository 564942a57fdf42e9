import fc from 'fast-check';
import { bodySchema, mediaTypeOf, ROUTES, type Route } from '../contract.ts';
import { bodyOf } from './bodies.ts';
import { type Json, jsonFor, text } from './values.ts';

/** A request as HTTP, complete but for the names of callers (`@member@`) in its head. */
export interface FuzzRequest {
  readonly method: string;
  /** With its empty line. */
  readonly head: string;
  readonly body: Buffer;
}

/** Whose tokens stand in requests; the session of `leaver` alone is ended, for logout alone has it. */
export const CALLERS = ['member', 'admin', 'leaver', 'refresher', 'ended', 'program'] as const;
export type Caller = (typeof CALLERS)[number];

/** The name that the fuzzed sign-ins may know, and its password. */
export const KNOWN = { username: 'fuzzlogin', password: 'correct horse battery' } as const;

const ORDINARY = 'Host: x\r\n';
const WEIRD_HEADERS = fc.constantFrom(
  ...[
    'Accept: image/png',
    'Accept-Encoding: br',
    'Connection: close',
    'Connection: x',
    'Origin: null',
    'Cookie: a',
    'Cookie: __Host-stoa_refresh=x',
    'Cookie: __Host-stoa_refresh=x\r\nOrigin: http://x',
  ],
  ...[
    'X-Request-Id: mine',
    'X-Forwarded-For: ::1',
    'X-Forwarded-For: x, ,1',
    'X-Forwarded-Proto: gopher',
    'If-Match: *',
    'If-Match: "1-x", W/"x"',
    'If-Match: x',
    'Idempotency-Key: "a"',
    'Idempotency-Key: b',
    'Idempotency-Key: "a", "b"',
  ],
  ...[
    'If-None-Match: *',
    'If-Modified-Since: 0',
    'Range: bytes=0-',
    'X-HTTP-Method-Override: DELETE',
    `X: ${'y'.repeat(9_000)}`,
  ],
);

function requestFor({ method, path, operation }: Route): fc.Arbitrary<FuzzRequest> {
  const schema = bodySchema(operation);
  const json = operation.operationId === 'login' ? credentials() : jsonFor(schema ?? { type: 'object' });
  const none = fc.constant(Buffer.alloc(0));
  const rarely = fc.oneof({ weight: 12, arbitrary: none }, { weight: 1, arbitrary: bodyOf(fc.json()) });
  const body = schema ? bodyOf(json) : rarely;
  const used = method === 'GET' ? fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD') : fc.constant(method);
  return assemble(used, targetOf(path, operation), operation, body);
}

function strayRequest(route: Route): fc.Arbitrary<FuzzRequest> {
  const methods = ['PATCH', 'PUT', 'TRACE', 'OPTIONS', 'PROPFIND', 'QUERY', 'POST', 'DELETE', 'GET'];
  const target = fc.oneof(
    targetOf(route.path, route.operation),
    text(20).map((each) => `/${encodeURIComponent(each.toWellFormed())}`),
    fc.constantFrom(
      '/',
      '//',
      '/api',
      '/api/',
      '/api/content/',
      '/api/content/1/',
      '/..%2f',
      '/api/%2e%2e/livez',
      '*',
    ),
    fc.constantFrom(
      '/%',
      '/%zz',
      '/api/users%00',
      '/api/content/%ff',
      '/API/USERS',
      '/api/users;x=1',
      '/api/users#x',
    ),
  );
  return assemble(fc.constantFrom(...methods), target, route.operation, bodyOf(fc.json()));
}

function assemble(
  method: fc.Arbitrary<string>,
  target: fc.Arbitrary<string>,
  operation: Route['operation'],
  body: fc.Arbitrary<Buffer>,
): fc.Arbitrary<FuzzRequest> {
  const weird = fc.oneof(
    { weight: 6, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(WEIRD_HEADERS, { maxLength: 3 }) },
  );
  const parts = fc.tuple(
    method,
    target,
    authorization(operation.operationId),
    body,
    contentType(mediaTypeOf(operation)),
    weird,
    fc.integer({ min: 0, max: 9 }),
  );
  return parts.map(([verb, path, authorize, bytes, type, others, chunking]) => {
    const isChunked = chunking === 0 && bytes.length > 0;
    const framing = isChunked ? 'Transfer-Encoding: chunked\r\n' : `Content-Length: ${bytes.length}\r\n`;
    const about = bytes.length > 0 ? type + framing : '';
    const more = others.map((each) => `${each}\r\n`).join('');
    const head = `${verb} ${path} HTTP/1.1\r\n${ORDINARY}${authorize}${more}${about}\r\n`;
    return { method: verb, head, body: isChunked ? chunked(bytes) : bytes };
  });
}

/** In pieces of up to 1,000 bytes. */
function chunked(body: Buffer): Buffer {
  const pieces = Array.from({ length: Math.ceil(body.length / 1_000) }, (_, index) => {
    const piece = body.subarray(index * 1_000, (index + 1) * 1_000);
    return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
  });
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}

/** Sign-ins that may be right, and any others. */
function credentials(): fc.Arbitrary<Json> {
  const name = jsonFor({ type: 'string' }, [KNOWN.username, `${KNOWN.username}@example.org`.toUpperCase()]);
  const password = jsonFor({ type: 'string' }, [KNOWN.password]);
  return fc
    .tuple(name, password)
    .map(([username, secret]) => `{"username":${username},"password":${secret}}`);
}

function contentType(usual: string): fc.Arbitrary<string> {
  const others = [
    '',
    'application/json',
    'application/json; charset=utf-8',
    'application/json; charset=utf-16',
    'APPLICATION/JSON',
    'text/plain',
  ];
  const strange = [
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/json;',
    ',',
    '/',
    'x'.repeat(300),
  ];
  const line = (type: string) => (type === '' ? '' : `Content-Type: ${type}\r\n`);
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant(line(usual)) },
    { weight: 1, arbitrary: fc.constantFrom(...others, ...strange).map(line) },
  );
}

/** With any method of their paths an account could be closed: the last admin cannot be, and a program may not. */
const CLOSING = ['getMe', 'closeAccount'];
/** An admin could end the sessions of the other callers by these. */
const ENDING = ['getUser', 'updateUser', 'removeUser', 'endUserSessions'];

function authorization(operationId: string): fc.Arbitrary<string> {
  const bearer = (caller: Caller) => `Authorization: Bearer @${caller}@\r\n`;
  const holders: Caller[] =
    operationId === 'refresh'
      ? ['refresher']
      : operationId === 'logout'
        ? ['leaver']
        : operationId === 'exportAccount'
          ? // Its answer is streamed, which wire.ts does not read; a program gets none.
            ['program']
          : CLOSING.includes(operationId)
            ? ['admin', 'program']
            : ENDING.includes(operationId)
              ? ['member', 'program']
              : ['member', 'member', 'admin', 'program'];
  const others: Caller[] = ['logout', 'exportAccount', ...CLOSING].includes(operationId)
    ? ['ended', 'refresher', 'program']
    : ['ended', 'refresher', 'member'];
  const strange = [
    ...[
      '',
      'Authorization:\r\n',
      'Authorization: Bearer\r\n',
      'Authorization: Bearer \r\n',
      'Authorization: Basic YTpi\r\n',
    ],
    ...[
      'Authorization: Bearer x.y.z\r\n',
      'Authorization: Bearer eyJhbGciOiJub25lIn0.e30.\r\n',
      'Authorization: bearer @ended@\r\n',
    ],
    ...[
      'Authorization: Bearer @ended@ @ended@\r\n',
      `Authorization: Bearer ${'a'.repeat(5_000)}\r\n`,
      'Authorization: Bearer \xff\r\n',
    ],
    ...[
      'Authorization: Bearer @ended@=\r\n',
      'Authorization: Bearer stoa_rt_x\r\n',
      'Authorization: Bearer a\r\nAuthorization: Bearer b\r\n',
    ],
  ];
  return fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...holders).map(bearer) },
    { weight: 1, arbitrary: fc.constantFrom(...others).map(bearer) },
    { weight: 2, arbitrary: fc.constantFrom(...strange) },
  );
}

function targetOf(path: string, { parameters = [] }: Route['operation']): fc.Arbitrary<string> {
  const inPath = parameters.filter((each) => each.in === 'path');
  const inQuery = parameters.filter((each) => each.in === 'query');
  const pathValues = inPath.map(({ schema }) =>
    fc.oneof({ weight: 3, arbitrary: fc.constant('@item@') }, segment(schema)),
  );
  const queryParts = inQuery.map(({ name, schema }) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant<string[]>([]) },
      { weight: 2, arbitrary: jsonFor(schema).map((json) => [`${name}=${encode(json)}`]) },
    ),
  );
  const strange = fc.constantFrom(
    '',
    'page=1&page=2',
    'page[]=1',
    '__proto__=1',
    '%',
    'keyword=%ed%a0%80',
    'keyword=%00',
    '&&==',
    '?',
    'a=b',
  );
  const extra = fc.oneof(
    { weight: 10, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: strange.map((each) => [each]) },
  );
  return fc.tuple(fc.tuple(...pathValues), fc.tuple(...queryParts), extra).map(([values, parts, others]) => {
    let index = 0;
    const filled = path.replaceAll(/\{\w+\}/g, () => values[index++] ?? '');
    const query = [...parts.flat(), ...others].join('&');
    return query === '' ? filled : `${filled}?${query}`;
  });
}

/** Never empty, for then the path would be another one. */
function segment(schema: object): fc.Arbitrary<string> {
  const odd = fc.constantFrom(
    '%00',
    '%ff',
    '%2f',
    '%252f',
    '1%20',
    '01',
    '+1',
    '1.0',
    '1e3',
    '%D9%A3',
    '0x1',
    'null',
    'x'.repeat(200),
  );
  return fc.oneof(
    jsonFor(schema).map((json) => encode(json) || '0'),
    odd,
  );
}

/** A text goes without its quotes, and half a surrogate pair as U+FFFD. */
function encode(json: Json): string {
  const plain: unknown = json.startsWith('"') ? JSON.parse(json) : json;
  // Longer lines are refused as a whole; the malformed requests have those.
  return encodeURIComponent(String(plain).toWellFormed().slice(0, 1_000).toWellFormed());
}

/** One in seven requests is for a path or with a method that there is not. */
export const REQUEST: fc.Arbitrary<FuzzRequest> = fc.oneof(
  { weight: 6, arbitrary: fc.oneof(...ROUTES.map(requestFor)) },
  { weight: 1, arbitrary: fc.oneof(...ROUTES.map(strayRequest)) },
);
