import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { parseEvents } from '../../client/src/event-stream.ts';
import type { Client } from '../../client/src/index.ts';
import { listen } from '../../client/src/live.ts';
import { until, untilThere } from '../support/until.ts';

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** A stream as the service has it, which tells what the test says. */
class Stream {
  readonly after: number | undefined;
  readonly body: ReadableStream<Uint8Array>;
  #output: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(after: number | undefined, now: number, left: AbortSignal) {
    this.after = after;
    this.body = new ReadableStream({
      start: (output) => {
        this.#output = output;
      },
    });
    left.addEventListener('abort', () => this.#output?.error(left.reason));
    this.#send(`id: ${after ?? now}.1\n\n`);
  }

  tell(from: number, to = from): void {
    for (const number of numbers(from, to))
      this.#send(`id: ${number}.1\nevent: content.updated\ndata: {}\n\n`);
  }

  break(): void {
    this.#output?.error(new Error('The stream broke.'));
  }

  #send(text: string): void {
    this.#output?.enqueue(Buffer.from(text));
  }
}

/** A service with 100 events, and tabs that share one session of it. */
function startTabs(t: TestContext) {
  const streams: Stream[] = [];
  const listeners = new Set<() => void>();
  const session = {
    name: randomUUID(),
    state: 'signed-in',
    account: 1,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const call = async (_name: string, { headers, signal }: { headers: object; signal: AbortSignal }) => {
    const after = Number.parseInt(Reflect.get(headers, 'last-event-id'), 10);
    const stream = new Stream(Number.isNaN(after) ? undefined : after, 100, signal);
    streams.push(stream);
    return { ok: true, data: stream.body };
  };
  const said: { after?: string; before?: string; event?: { id: string } }[] = [];
  const witness = new BroadcastChannel(`${session.name} events`);
  witness.addEventListener('message', ({ data }) => said.push(data));
  t.after(() => witness.close());
  return {
    streams,
    /** What tabs have said to one another. */
    said,
    /** Another account signs in. */
    changeAccount: () => {
      session.account++;
      for (const listener of listeners) listener();
    },
    /** Opens a tab that has heard everything until this event, or listens from now on. */
    open: (after?: number) => {
      const leaving = new AbortController();
      t.after(() => leaving.abort());
      const tab = { heard: [] as number[], hasEnded: false, close: () => leaving.abort() };
      const options = { signal: leaving.signal, ...(after !== undefined && { after: `${after}.1` }) };
      void (async () => {
        for await (const { id } of listen({ session, call } as unknown as Client, options))
          tab.heard.push(Number.parseInt(id, 10));
        tab.hasEnded = true;
      })();
      return tab;
    },
    stream: (count: number) => untilThere(() => streams[count - 1], `stream ${count} is open`),
  };
}

it('A tab that is told what it missed goes on where the stream broke, not where the leading tab is', async (t) => {
  const { open, stream } = startTabs(t);
  const leading = open(100);
  await stream(1);
  const tab = open(0);
  const second = await stream(2);
  assert.equal(second.after, 0);
  second.tell(1, 50);
  await until(() => tab.heard.length === 50, 'the tab has heard the first half');
  second.break();
  const third = await stream(3);
  third.tell((third.after ?? 0) + 1, 101);
  await until(() => tab.heard.at(-1) === 101 && leading.heard.length > 0, 'both have heard the last event');
  assert.deepEqual(tab.heard, numbers(1, 101));
  assert.deepEqual(leading.heard, [101]);
});

it('Two tabs that missed different events each hear all of theirs, whichever asks first', async (t) => {
  for (const [one, other] of [
    [20, 40],
    [40, 20],
  ] as const) {
    const { open, stream, streams, said } = startTabs(t);
    open(100);
    await stream(1);
    const first = open(one);
    const second = await stream(2);
    second.tell(one + 1, one + 10);
    await until(() => first.heard.length === 10, 'the first tab has heard some events');
    const later = open(other);
    await until(() => said.some(({ after }) => after === `${other}.1`), 'the other tab has asked');
    if (other < one) await stream(3);
    await setImmediate();
    const last = streams.at(-1);
    last?.tell(last === second ? one + 11 : (last?.after ?? 0) + 1, 100);
    await until(() => [first, later].every(({ heard }) => heard.at(-1) === 100), 'both have heard the last');
    assert.deepEqual(first.heard, numbers(one + 1, 100));
    assert.deepEqual(later.heard, numbers(other + 1, 100));
  }
});

it('A tab that hears of something new before what it missed takes both in their order', async (t) => {
  const { open, stream } = startTabs(t);
  const leading = open(100);
  const first = await stream(1);
  const tab = open(90);
  // The leading tab reads this before it gets the wish of the other one.
  first.tell(101);
  const second = await stream(2);
  second.tell(91, 102);
  await until(() => tab.heard.at(-1) === 102, 'the tab has heard the last event');
  assert.deepEqual(tab.heard, numbers(91, 102));
  assert.deepEqual(leading.heard, [101, 102]);
});

it('A tab that asks before the stream of the leading one has begun gets what it missed', async (t) => {
  const { open, stream } = startTabs(t);
  const leading = open();
  const tab = open(90);
  const second = await stream(2);
  assert.equal(second.after, 90);
  second.tell(91, 101);
  await until(() => leading.heard.length > 0 && tab.heard.at(-1) === 101, 'both have heard the last event');
  assert.deepEqual(tab.heard, numbers(91, 101));
  assert.deepEqual(leading.heard, [101]);
});

it('A tab that listens from now on goes on from there when the leading tab closes before any event', async (t) => {
  const { open, stream, said } = startTabs(t);
  const leading = open(100);
  await stream(1);
  const tab = open();
  await until(
    () => said.some(({ before, event }) => !before && event),
    'the leading tab has said where it is',
  );
  await setImmediate();
  leading.close();
  const second = await stream(2);
  assert.equal(second.after, 100);
  second.tell(101);
  await until(() => tab.heard.length > 0, 'the tab has heard the event');
});

it('Listening ends where another account signs in', async (t) => {
  const { open, stream, changeAccount } = startTabs(t);
  const tab = open(100);
  (await stream(1)).tell(101);
  await until(() => tab.heard.length === 1, 'the tab has heard the event');
  changeAccount();
  await until(() => tab.hasEnded, 'the tab hears no more');
});

it('A stream is left whose event has a million characters and no end', async () => {
  let [isLeft, pieces] = [false, 0];
  const piece = Buffer.from('x'.repeat(100_000));
  const body = new ReadableStream<Uint8Array>({
    pull: (output) => (pieces++ < 30 ? output.enqueue(piece) : output.close()),
    cancel: () => {
      isLeft = true;
    },
  });
  await parseEvents(
    body,
    () => {},
    () => assert.fail('an event'),
  );
  assert.ok(isLeft);
});
