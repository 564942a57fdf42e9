import { NEW_TEXT, newTexts } from '../datasets/new-texts.ts';
import { Connection } from './connection.ts';
import { CHAINED, type Job, type Measured, percentiles } from './job.ts';

/**
 * The load generator, in its own process. It does one job after another for its parent, with keep-alive connections
 * that have one request under way each. A message with `hold` makes it open connections, send one request on each, and
 * keep them open and idle until `drop`.
 */

const REFRESH_TOKEN = /"refresh_token":"([^"]+)"/;
const held: Connection[] = [];
const texts = newTexts();

process.on('message', async (message: Job | { hold: number; port: number; request: string } | 'drop') => {
  if (message === 'drop') {
    for (const connection of held.splice(0)) connection.close();
    process.send?.('dropped');
  } else if ('hold' in message) {
    process.send?.(await hold(message.port, message.hold, message.request));
  } else {
    process.send?.(await measure(message));
  }
});
process.on('disconnect', () => process.exit());

async function measure(job: Job): Promise<Measured> {
  const connections = await Promise.all(
    Array.from({ length: job.connections }, () => Connection.open(job.port, job.chain !== undefined)),
  );
  const chain = [...(job.chain ?? [])];
  const requests = job.requests;
  const latencies: number[] = [];
  let errors = 0;
  let turn = 0;
  const start = performance.now();
  const end = start + job.seconds * 1000;
  const interval = job.rate === undefined ? 0 : (1000 * job.connections) / job.rate;

  const drive = (connection: Connection, index: number) =>
    new Promise<void>((resolve) => {
      let due = start + (interval * index) / job.connections;
      let sent = 0;
      const send = () => {
        const request = filled(requests[job.chain ? index : turn++ % requests.length] ?? '', chain[index]);
        sent = performance.now();
        connection.send(request, onAnswer);
      };
      const next = (now: number) => {
        if (interval === 0) return now < end ? send() : resolve();
        due = Math.max(due + interval, now);
        if (due >= end) return resolve();
        setTimeout(send, due - now);
      };
      const onAnswer = ({ status, body }: { status: number; body: string }) => {
        const now = performance.now();
        if (status !== 200 && status !== 304) errors++;
        if (now <= end) latencies.push(now - sent);
        if (job.chain) chain[index] = REFRESH_TOKEN.exec(body)?.[1] ?? chain[index] ?? '';
        if (status === 0) return resolve();
        next(now);
      };
      if (interval === 0) send();
      else setTimeout(send, Math.max(0, due - performance.now()));
    });

  await Promise.all(connections.map(drive));
  for (const connection of connections) connection.close();
  return {
    rate: latencies.length / job.seconds,
    answers: latencies.length,
    errors,
    latency: percentiles(Float64Array.from(latencies)),
    chain,
  };
}

/** The request with the token of its connection or with a new text, if it has the placeholder. */
function filled(request: string, token: string | undefined): string {
  if (token !== undefined) return request.replace(CHAINED, token);
  return request.replace(NEW_TEXT, () => texts.next().value.text);
}

/** Opens connections, which are idle after one answered request each. Returns how many are open. */
async function hold(port: number, count: number, request: string): Promise<number> {
  while (held.length < count) {
    const some = await Promise.all(
      Array.from({ length: Math.min(100, count - held.length) }, () => Connection.open(port)),
    );
    await Promise.all(some.map((connection) => connection.ask(request)));
    held.push(...some);
  }
  return held.length;
}
