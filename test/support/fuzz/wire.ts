import { connect } from 'node:net';

/** An answer as it came, its body still text. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Exchange {
  /** The methods of the requests, for an answer to HEAD has no body. */
  readonly methods: readonly string[];
  /** Whether all requests are whole: each gets an answer then. Otherwise nobody can say how many come. */
  readonly isWhole: boolean;
}

/** No answer takes this long, however busy the machine is. */
const PATIENCE_MS = 30_000;
/** After this much silence nothing more comes to a request that never ends: then the client ends its side. */
const QUIET_MS = 60;

/**
 * Sends the bytes over a connection of their own, and resolves with the answers: as many as there are requests,
 * or all that came until the service hung up. Rejects where the service says nothing and does not hang up.
 */
export function exchange(port: number, bytes: Buffer, { methods, isWhole }: Exchange): Promise<RawAnswer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    const pieces: Buffer[] = [];
    let quiet: NodeJS.Timeout | undefined;
    const read = () => answersIn(Buffer.concat(pieces), methods);
    const tooLong = setTimeout(() => {
      reject(new Error(`No answer in ${PATIENCE_MS / 1_000} s, and the connection is open.`));
      socket.destroy();
    }, PATIENCE_MS);
    const finish = () => {
      clearTimeout(tooLong);
      clearTimeout(quiet);
      socket.resetAndDestroy();
      try {
        resolve(read().answers);
      } catch (error) {
        reject(error);
      }
    };
    const endWhenQuiet = () => {
      if (isWhole) return;
      clearTimeout(quiet);
      quiet = setTimeout(() => socket.end(), QUIET_MS);
    };
    // A service that hung up on what it refused may reset what was still on its way.
    socket.on('error', () => {});
    socket.on('close', finish);
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece);
      endWhenQuiet();
      if (isWhole && hasAll(pieces, methods)) finish();
    });
    socket.write(bytes, endWhenQuiet);
  });
}

function hasAll(pieces: readonly Buffer[], methods: readonly string[]): boolean {
  try {
    const { answers, isStream } = answersIn(Buffer.concat(pieces), methods);
    return isStream || answers.length >= methods.length;
  } catch {
    // Told when the exchange ends.
    return true;
  }
}

/** The whole answers among the bytes. Fails on bytes that are no answer of HTTP/1.1 with a length. */
function answersIn(bytes: Buffer, methods: readonly string[]): { answers: RawAnswer[]; isStream: boolean } {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end < 0) break;
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    if (Number.isNaN(status)) throw new Error(`No status line: ${JSON.stringify(statusLine)}`);
    at = end + 4;
    if (status < 200) continue;
    const headers = new Headers(
      lines.map((line): [string, string] => [line.split(':')[0] ?? '', line.replace(/^[^:]*:\s*/, '')]),
    );
    // A stream goes on, so its head is all of the answer, and no other follows.
    if (headers.get('content-type')?.startsWith('text/event-stream')) {
      answers.push({ status, headers, text: '' });
      return { answers, isStream: true };
    }
    // A 304 has no body, and needs no length (RFC 9110, 15.4.5).
    const length = status === 304 ? 0 : Number(headers.get('content-length') ?? Number.NaN);
    if (Number.isNaN(length))
      throw new Error(`An answer without a length: ${JSON.stringify([statusLine, ...lines])}`);
    const isHead = methods[answers.length] === 'HEAD';
    const stop = isHead ? at : at + length;
    if (stop > bytes.length) break;
    answers.push({ status, headers, text: bytes.toString('utf8', at, stop) });
    at = stop;
  }
  return { answers, isStream: false };
}
