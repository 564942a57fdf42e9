import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Probed, ProbeOrders } from './probe.ts';

// Plays the honest user in a process of its own, so that what the attackers are busy with delays no figure.

const EVERY_MS = 40;
let isOver = false;

process.once('message', async (orders: ProbeOrders) => {
  process.once('message', () => {
    isOver = true;
  });
  const probed: Probed = { waits: { livez: [], read: [], login: [] }, refused: [] };
  const login = { username: orders.username, password: orders.password };
  await Promise.all([
    watch(probed, 'livez', orders, 'GET', '/livez'),
    watch(probed, 'read', orders, 'GET', `/api/content/${orders.item}`),
    watch(probed, 'login', orders, 'POST', '/api/auth/login', JSON.stringify(login)),
  ]);
  if (!process.send) throw new Error('Nobody started this process to hear of it.');
  process.send(probed);
  process.disconnect?.();
});

/** Asks until it is over; each time over a new connection, as somebody who just comes. */
async function watch(
  probed: Probed,
  what: keyof Probed['waits'],
  { port }: ProbeOrders,
  method: string,
  path: string,
  body?: string,
): Promise<void> {
  while (!isOver) {
    const began = performance.now();
    const status = await ask(port, method, path, body);
    probed.waits[what].push(performance.now() - began);
    if (status !== 200) probed.refused.push(`${method} ${path}: ${status}`);
    await pause(EVERY_MS);
  }
}

function ask(port: number, method: string, path: string, body?: string): Promise<number | string> {
  const headers =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length };
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) =>
      answer.resume().on('close', () => resolve(answer.statusCode ?? 0)),
    );
    asked.on('error', (error) => resolve(error.message));
    asked.end(body);
  });
}
