import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { type Listener, listenerOf } from '../content/black-box/event-stream.ts';
import type { Lifetime } from './engines.ts';
import { sendOn, type WholeAnswer } from './on-agent.ts';
import type { ServiceProcess } from './process.ts';
import { childrenOf, isAlive } from './process-state.ts';
import { until } from './until.ts';

/** A client on one connection, so that one worker answers all that it asks. */
export interface WorkerClient {
  /** The process id of its worker. */
  readonly worker: number;
  send(
    method: string,
    path: string,
    token?: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<WholeAnswer>;
  /** Listens after the event with that id, where one is given. The stream takes the connection, so nothing else is sent. */
  listen(token: string, after?: string): Promise<Listener>;
}

/** The process ids of the workers that live. */
export function workersOf({ child }: Pick<ServiceProcess, 'child'>): number[] {
  return childrenOf(child.pid ?? 0).filter(isAlive);
}

/** A client of each worker. */
export async function clientsOf(t: Lifetime, service: ServiceProcess): Promise<WorkerClient[]> {
  const clients = new Map<number, WorkerClient>();
  await until(async () => {
    const client = await connect(t, service);
    clients.set(client.worker, client);
    return clients.size >= workersOf(service).length;
  }, 'each worker gets a connection');
  return [...clients.values()];
}

async function connect(t: Lifetime, service: ServiceProcess): Promise<WorkerClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const send: WorkerClient['send'] = (method, path, token = '', body, headers) =>
    sendOn(agent, service.url, method, path, token, body, headers);
  const listen = async (token: string, after?: string) => {
    const id = after === undefined ? {} : { 'last-event-id': after };
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}`, ...id };
    const sent = request(`${service.url}/api/events`, { agent, headers }).end();
    const [response]: IncomingMessage[] = await once(sent, 'response');
    assert.equal(response?.statusCode, 200);
    return listenerOf(response.setEncoding('utf8'), () => sent.destroy());
  };
  await send('GET', '/livez');
  const [socket] = [agent.sockets, agent.freeSockets].flatMap((each) => Object.values(each).flat());
  assert.ok(socket && 'localPort' in socket && typeof socket.localPort === 'number');
  return { worker: workerAt(service, socket.localPort), send, listen };
}

/** Which worker has the other end of the connection from this port? */
function workerAt(service: ServiceProcess, clientPort: number): number {
  const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0');
  const [from, to] = [hex(Number(new URL(service.url).port)), hex(clientPort)];
  const row = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(([, local, remote]) => local?.endsWith(`:${from}`) && remote?.endsWith(`:${to}`));
  const socket = `socket:[${row?.[9]}]`;
  const worker = workersOf(service).find((pid) => filesOf(pid).includes(socket));
  assert.ok(worker !== undefined, `no worker has ${socket}`);
  return worker;
}

function filesOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).map((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      // It was closed meanwhile.
      return '';
    }
  });
}
