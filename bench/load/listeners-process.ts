import { connect, type Socket } from 'node:net';
import { percentiles } from './job.ts';
import { get } from './requests.ts';

/**
 * Many streams of events, in a process of their own. `{ port, tokens, each }` opens `each` streams for each token and is
 * answered when all have begun. 'count' is answered with what has arrived since, and 'close' ends all.
 */

const EVENT = Buffer.from('\nevent: content.created');
const BEGUN = Buffer.from('retry:');
/** Every so many listeners note how late an event is: more would take processor time from the service. */
const TIMED = 25;
const TOGETHER = 100;

const sockets: Socket[] = [];
let events = 0;
let lost = 0;
let delays: number[] = [];

interface Opening {
  readonly port: number;
  readonly tokens: readonly string[];
  readonly each: number;
}

process.on('message', async (message: Opening | 'count' | 'close') => {
  if (message === 'count') {
    process.send?.({ events, lost, delay: percentiles(Float64Array.from(delays)) });
    [events, delays] = [0, []];
  } else if (message === 'close') {
    for (const socket of sockets.splice(0)) socket.destroy();
    process.send?.('closed');
  } else {
    const { port, tokens, each } = message;
    const all = tokens.flatMap((token) => Array.from({ length: each }, () => token));
    while (sockets.length < all.length)
      sockets.push(
        ...(await Promise.all(
          all
            .slice(sockets.length, sockets.length + TOGETHER)
            .map((token, index) => open(port, token, addressOf(sockets.length + index), index % TIMED === 0)),
        )),
      );
    process.send?.(sockets.length);
  }
});
process.on('disconnect', () => process.exit());

/** An address of this machine for each stream: a single source gets half of the places. */
function addressOf(stream: number): string {
  return `127.1.${stream >> 8}.${stream & 255}`;
}

function open(port: number, token: string, localAddress: string, isTimed: boolean): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () =>
      socket.write(get('/api/events', token), 'latin1'),
    );
    let hasBegun = false;
    socket.on('data', (bytes: Buffer) => {
      if (!hasBegun && bytes.includes(BEGUN)) {
        hasBegun = true;
        resolve(socket);
      } else if (!hasBegun && !bytes.toString('latin1').startsWith('HTTP/1.1 200'))
        reject(new Error(bytes.toString('latin1').slice(0, 200)));
      if (hasBegun) note(bytes, isTimed);
    });
    socket.once('error', reject);
    socket.once('close', () => {
      if (sockets.includes(socket)) lost++;
    });
  });
}

function note(bytes: Buffer, isTimed: boolean): void {
  for (let at = bytes.indexOf(EVENT); at !== -1; at = bytes.indexOf(EVENT, at + EVENT.length)) events++;
  if (!isTimed) return;
  const now = Date.now();
  for (const [, at = ''] of bytes.toString('latin1').matchAll(/"at":"([^"]+)"/g))
    delays.push(now - Date.parse(at));
}
