import type { IncomingMessage, ServerResponse } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { sourceOf } from '../domain/source.ts';
import { MINUTE_MS } from '../domain/time.ts';
import { LIMITS } from './limits.ts';
import { Shares } from './shares.ts';

interface Use {
  /** The answer that was begun last, until somebody looks and it has gone out. A listener would cost each request. */
  answer: ServerResponse | undefined;
  /** Of `performance.now()`: a wall clock that is set anew would end them all. */
  idleSince: number;
}

/** At most one line in the log within this time tells of connections that were refused. */
const TOLD_EVERY_MS = MINUTE_MS;

const REFUSED =
  'connections were refused: their source had its share, or all were taken; a proxy in front belongs into TRUST_PROXY';

interface Options {
  /** Addresses of proxies, whose connections are those of many people: they have no share. */
  readonly proxies: readonly string[];
}

/**
 * Bounds the connections, in all and by source (decisions 0043). One too many is closed before anything is
 * read from it. One that begins no request for `LIMITS.idleTimeout` is hung up on.
 */
export function boundConnections(app: FastifyInstance, { proxies }: Options): void {
  const { server } = app;
  const uses = new Map<Socket, Use>();
  const shares = new Shares(LIMITS.connections);
  const isProxy = matcherOf(proxies);
  let refused = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  // Node.js closes one beyond this before it makes an object for it.
  server.maxConnections = LIMITS.connections;
  server.on('drop', () => refused++);

  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const source = sourceOf(address);
    const hasShare = !isProxy(address);
    if (hasShare && !shares.take(source)) {
      refused++;
      socket.destroy();
      return;
    }
    uses.set(socket, { answer: undefined, idleSince: performance.now() });
    socket.once('close', () => {
      uses.delete(socket);
      if (hasShare) shares.give(source);
    });
  });

  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const use = uses.get(socket);
    if (use) use.answer = response;
  });

  const sweep = () => {
    const now = performance.now();
    for (const [socket, use] of uses) {
      if (use.answer?.closed) {
        use.answer = undefined;
        use.idleSince = now;
      }
      if (!use.answer && now - use.idleSince > LIMITS.idleTimeout) socket.destroy();
    }
    if (refused === 0 || now - toldAt < TOLD_EVERY_MS) return;
    app.log.warn({ refused, open: uses.size }, REFUSED);
    toldAt = now;
    refused = 0;
  };
  const sweeping = setInterval(sweep, LIMITS.timeoutCheck).unref();
  app.addHook('onClose', async () => clearInterval(sweeping));
}

/** Whether an address is one of these, or in one of these ranges. */
function matcherOf(addresses: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const each of addresses) {
    const [address = '', bits] = each.split('/');
    const family = familyOf(address);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const [plain = ''] = address.split('%');
    return addresses.length > 0 && isIP(plain) > 0 && list.check(plain, familyOf(plain));
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
