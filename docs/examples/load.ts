/**
 * A light, bounded load for trying a deployment: what do clients notice while an instance is killed,
 * restarted or the database goes away? Not a benchmark (that is `npm run bench`).
 *
 *   node docs/examples/load.ts https://127.0.0.1:8443 20 8      (address, seconds, clients)
 *
 * Each client signs in and then creates, reads, changes, lists and deletes content and refreshes its
 * tokens, one request at a time. Prints for each kind of request how many were answered how, the slowest,
 * and at the end whether every item whose creation was answered is there. Leaves its accounts behind.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const [url = 'http://127.0.0.1:8080', seconds = '20', clients = '8'] = process.argv.slice(2);
const PAUSE_MS = 10;

interface Answer {
  readonly status: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever came back.
  readonly data: any;
}

const seen = new Map<string, { slowest: number; statuses: Map<string, number> }>();
const kept: number[] = [];
const until = Date.now() + Number(seconds) * 1000;

async function ask(method: string, path: string, token?: string, body?: unknown): Promise<Answer> {
  const began = performance.now();
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
    .then(async (response) => ({ status: String(response.status), data: (await response.json()).data }))
    .catch((error: Error) => ({ status: String(error.cause ?? error.message), data: undefined }));
  note(
    `${method} ${path.replace(/\d+/, '{id}').replace(/\?.*/, '')}`,
    answer.status,
    performance.now() - began,
  );
  return answer;
}

function note(what: string, status: string, took: number): void {
  const entry = seen.get(what) ?? { slowest: 0, statuses: new Map<string, number>() };
  entry.slowest = Math.max(entry.slowest, took);
  entry.statuses.set(status, (entry.statuses.get(status) ?? 0) + 1);
  seen.set(what, entry);
}

async function client(): Promise<void> {
  const username = `load_${randomBytes(6).toString('hex')}`;
  const account = { username, email: `${username}@example.org`, password: randomBytes(9).toString('hex') };
  await ask('POST', '/api/auth/register', undefined, account);
  let tokens = (await ask('POST', '/api/auth/login', undefined, account)).data;
  while (Date.now() < until) {
    const item = { title: username, content: 'x'.repeat(1000), tags: ['load'] };
    const { status, data } = await ask('POST', '/api/content', tokens.token, item);
    if (status === '200') {
      await ask('GET', `/api/content/${data.id}`);
      await ask('PUT', `/api/content/${data.id}`, tokens.token, { title: `${username} again` });
      if (Math.random() < 0.5) await ask('DELETE', `/api/content/${data.id}`, tokens.token);
      else kept.push(data.id);
    }
    await ask('GET', '/api/content?per_page=5');
    if (Math.random() < 0.1) {
      const refreshed = await ask('POST', '/api/auth/refresh', tokens.refresh_token);
      // The next refresh presents the same token again where this one was not answered.
      if (refreshed.status === '200') tokens = refreshed.data;
    }
    await sleep(PAUSE_MS);
  }
}

await Promise.all(Array.from({ length: Number(clients) }, client));
for (const [what, { slowest, statuses }] of [...seen].sort()) {
  const counts = [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ');
  console.log(`${what.padEnd(26)} slowest ${slowest.toFixed(0).padStart(5)} ms   ${counts}`);
}
let lost = 0;
for (const id of kept) {
  const { status } = await fetch(`${url}/api/content/${id}`);
  if (status !== 200) lost++;
}
console.log(`${kept.length} items were created and kept, ${lost} of them are lost.`);
