import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Generator } from './load/generator.ts';
import type { Measured } from './load/job.ts';
import { get, post } from './load/requests.ts';
import { type Server, startStoa } from './servers/stoa.ts';
import { processorTime, threadTime } from './servers/usage.ts';

/**
 * One process against two workers, side by side (docs/decisions/running.md): rates, and the processor time of an answer by
 * where it is spent, which hardly depends on other load of the machine. `ROUNDS` (5), `SECONDS` (3) and
 * `CONNECTIONS` (64) may be given.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SECONDS = Number(process.env.SECONDS ?? 3);
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 64);
const ACCOUNTS = 64;
const ITEMS = 512;
const PASSWORD = 'correct horse battery';
/** More than a round creates, so that no title comes twice. */
const CREATED = 12_000 * SECONDS;
const TEXT = 'x'.repeat(1_000);

interface Service {
  readonly workers: number;
  readonly server: Server;
  readonly tokens: readonly string[];
}

/** Microseconds of an answer: in the main threads that serve HTTP, and in the primary, without and with its threads. */
interface Cost {
  readonly rate: number;
  readonly serving: number;
  readonly primary: number;
  readonly all: number;
}

let title = 0;

const works: Record<string, (tokens: readonly string[]) => readonly string[]> = {
  'read an item': (tokens) =>
    each(tokens, (token, index) => get(`/api/content/${1 + (index % ITEMS)}`, token)),
  'list 20 items': (tokens) =>
    each(tokens, (token, index) => get(`/api/content?page=${1 + (index % 20)}`, token)),
  'create an item': (tokens) =>
    each(
      tokens,
      (token) => post('/api/content', { title: `Item ${++title}`, content: TEXT }, token),
      CREATED,
    ),
  'of one title': (tokens) =>
    each(tokens, (token) => post('/api/content', { title: 'x', content: TEXT }, token)),
  'sign in': (tokens) => each(tokens, (_, index) => post('/api/auth/login', credentials(index))),
};

const folder = mkdtempSync(join(tmpdir(), 'stoa-workers-'));
const generator = new Generator();
const services: Service[] = [];
try {
  for (const workers of [1, 2]) services.push(await start(workers));
  for (const [work, requests] of Object.entries(works)) {
    const costs = new Map(services.map((service) => [service, [] as Cost[]]));
    for (let round = 0; round < ROUNDS; round++)
      for (const [service, found] of costs) found.push(await costOf(service, requests(service.tokens)));
    for (const [service, found] of costs) print(work, service, leastOf(found));
  }
} finally {
  await generator.close();
  for (const { server } of services) await server.stop();
  rmSync(folder, { recursive: true });
}

function each(
  tokens: readonly string[],
  request: (token: string, index: number) => string,
  length = ITEMS,
): string[] {
  return Array.from({ length }, (_, index) => request(tokens[index % tokens.length] ?? '', index));
}

function credentials(index: number) {
  return { username: `bench${index % ACCOUNTS}`, password: PASSWORD };
}

async function start(workers: number): Promise<Service> {
  const settings = {
    DATA_DIR: join(folder, String(workers)),
    WORKERS: String(workers),
    WRITES_PER_HOUR: '0',
  };
  const server = await startStoa({ settings: { ...settings, LOG_LEVEL: 'info' }, release: async () => {} });
  const send = async (path: string, body: object, token?: string) => {
    const headers = {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}.`);
    return (await response.json()) as { data: { token: string } };
  };
  const tokens: string[] = [];
  for (let index = 0; index < ACCOUNTS; index++) {
    const { username, password } = credentials(index);
    await send('/api/auth/register', { username, email: `${username}@example.org`, password });
    tokens.push((await send('/api/auth/login', { username, password })).data.token);
  }
  for (let index = 0; index < ITEMS; index++)
    await send('/api/content', { title: `${index}`, content: TEXT }, tokens[index % ACCOUNTS]);
  return { workers, server, tokens };
}

/** One round. */
async function costOf({ workers, server }: Service, requests: readonly string[]): Promise<Cost> {
  const children = workers > 1 ? childrenOf(server.pid) : [];
  const serving = children.length > 0 ? children : [server.pid];
  const times = () => ({
    serving: sum(serving.map((pid) => threadTime(pid, pid))),
    primary: children.length > 0 ? threadTime(server.pid, server.pid) : 0,
    all: sum([server.pid, ...children].map(processorTime)),
  });
  const before = times();
  const { answers, errors, rate }: Measured = await generator.run({
    ...{ port: server.port, connections: CONNECTIONS, seconds: SECONDS, requests },
  });
  if (errors > 0) throw new Error(`${errors} errors`);
  const after = times();
  const of = (name: keyof typeof after) => (after[name] - before[name]) / answers;
  return { rate, serving: of('serving'), primary: of('primary'), all: of('all') };
}

/** The round with the least time: other work of the machine only adds to it. */
function leastOf(costs: readonly Cost[]): Cost {
  const [least] = costs.toSorted((one, other) => one.all - other.all);
  if (!least) throw new Error('There was no round.');
  return least;
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function print(work: string, { workers }: Service, { rate, serving, primary, all }: Cost): void {
  const micros = [serving, primary, all - serving - primary].map((value) => value.toFixed(0).padStart(6));
  process.stdout.write(
    `${work.padEnd(16)} ${workers} ${rate.toFixed(0).padStart(7)}/s  HTTP ${micros[0]} us  primary ${micros[1]} us  threads ${micros[2]} us\n`,
  );
}
