import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { Lifetime } from './engines.ts';
import { message, type Needed, PreparedStatements, SYNC } from './pooled-statements.ts';

const SSL_REQUEST = 80_877_103;
const READY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);
const TERMINATE = 'X'.charCodeAt(0);

const WELCOME = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('S', Buffer.from('client_encoding\0UTF8\0')),
  message('S', Buffer.from('standard_conforming_strings\0on\0')),
  message('K', Buffer.alloc(8)),
  message('Z', Buffer.from('I')),
]);

const REFUSAL = message(
  'E',
  Buffer.from('SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0'),
);

/**
 * A pooler in transaction mode, as PgBouncer is: each transaction of a client goes to the connection that was used last, or
 * to a new one where all are in a transaction, of `most`; or it `rotates`. Until version 1.21 PgBouncer did not prepare
 * the statements of a client on the connection that the client gets (`keepsPrepared`). Returns its URL.
 */
export async function startTransactionPooler(
  t: Lifetime,
  databaseUrl: string,
  { most = 100, rotates = false, keepsPrepared = false } = {},
): Promise<string> {
  const free: Socket[] = [];
  const clients: Client[] = [];
  const preparedOn = new WeakMap<Socket, Set<string>>();
  /** The connection of a client of `pg`, signed in. What comes from it is read here. */
  const acquire = async (): Promise<Socket> => {
    const known = rotates ? free.shift() : free.pop();
    if (known) return known;
    if (clients.length >= most) return pause(5).then(acquire);
    const client = new Client(databaseUrl);
    client.on('error', () => {});
    clients.push(client);
    await client.connect();
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    stream.removeAllListeners('data');
    preparedOn.set(stream, new Set());
    return stream;
  };
  if (rotates) free.push(await acquire(), await acquire(), await acquire());
  const server = createServer((socket) => {
    let [isWelcome, backend, chain] = [false, undefined as Socket | undefined, Promise.resolve()];
    socket.on('error', () => {});
    const statements = new PreparedStatements();
    /** Called at the end of an answer that the client does not get. */
    let hidden: (() => void) | undefined;
    const prepareOn = async (taken: Socket, needed: readonly Needed[]) => {
      const [has, { promise, resolve }] = [preparedOn.get(taken), Promise.withResolvers<void>()];
      const missing = needed.filter(({ name }) => !has?.has(name));
      if (missing.length === 0) return;
      hidden = resolve;
      taken.write(Buffer.concat([...missing.map(({ messages }) => messages), SYNC]));
      for (const { name } of missing) has?.add(name);
      await promise;
      hidden = undefined;
    };
    const forward = async (chunk: Buffer) => {
      if (chunk[0] === TERMINATE) return;
      if (!backend) {
        const taken = await acquire();
        backend = taken;
        taken.on('data', (answer: Buffer) => {
          const isEnd = answer.at(-6) === READY;
          if (hidden) {
            if (isEnd) hidden();
            return;
          }
          socket.write(answer);
          // The last message of an answer says whether a transaction is open.
          if (!isEnd || answer.at(-1) !== IDLE) return;
          taken.removeAllListeners('data');
          backend = undefined;
          free.push(taken);
        });
      }
      if (!keepsPrepared) return void backend.write(chunk);
      const { bytes, needed, prepared } = statements.renamed(chunk);
      await prepareOn(backend, needed);
      for (const name of prepared) preparedOn.get(backend)?.add(name);
      backend.write(bytes);
    };
    socket.on('data', (chunk: Buffer) => {
      if (isWelcome) {
        chain = chain.then(() => forward(chunk));
        return;
      }
      if (chunk.readUInt32BE(4) === SSL_REQUEST) return void socket.write('N');
      isWelcome = true;
      socket.write(WELCOME);
    });
  });
  t.after(() => {
    server.close();
    for (const client of clients) client.end().catch(() => {});
  });
  return listening(server, databaseUrl);
}

/** A pooler in session mode, as PgBouncer is: it refuses time limits as parameters at the start of a connection. */
export async function startSessionPooler(t: Lifetime, databaseUrl: string): Promise<string> {
  const { hostname, port } = new URL(databaseUrl);
  const server = createServer((socket) => {
    const backend = createConnection(Number(port), hostname);
    for (const [one, other] of [
      [socket, backend],
      [backend, socket],
    ] as const)
      one.on('error', () => {}).once('close', () => other.destroy());
    socket.once('data', (start: Buffer) => {
      if (start.includes('_timeout')) return void socket.end(REFUSAL);
      backend.write(start);
      socket.pipe(backend).pipe(socket);
    });
  });
  t.after(() => void server.close());
  return listening(server, databaseUrl);
}

/** The URL of the database through the pooler. */
async function listening(server: Server, databaseUrl: string): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === 'object' ? address?.port : '');
  return url.href;
}
