import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type Outcome, outcomeOf } from './outcome.ts';
import { type Answer, READY, type Request, type ThreadStart } from './thread-messages.ts';

interface Work<Input> {
  /** Runs calls and returns one outcome for each, in their order. They are answered in one message. Never fails. */
  readonly run: (calls: readonly Input[]) => Promise<readonly Outcome[]>;
  /** The most calls that run together. */
  readonly together?: number;
  /** Called when calls that ran together have been answered. */
  readonly afterwards?: (() => void) | undefined;
  /** Called after the last call, when the thread is asked to end. */
  readonly close?: () => Promise<void> | void;
}

/** The module of a `Thread` calls this when it is ready. It answers the calls in their order. */
export function answerCalls<Input>({ run, together = 1, afterwards, close }: Work<Input>): void {
  const { port } = workerData as ThreadStart;
  const waiting: Input[] = [];
  let first = 1;
  let isClosing = false;
  let last = Promise.resolve();

  function receive(request: Request<Input>): void {
    if (request === 'close') isClosing = true;
    else waiting.push(...request.calls);
  }

  /** Adds calls that have arrived meanwhile, so that more calls run together. */
  function receiveMore(): void {
    while (waiting.length < together) {
      const next = receiveMessageOnPort(port);
      if (!next) return;
      receive(next.message);
    }
  }

  async function answer(): Promise<void> {
    receiveMore();
    while (waiting.length > 0) {
      const calls = waiting.splice(0, together);
      const message: Answer = { first, outcomes: await run(calls) };
      port.postMessage(message);
      first += calls.length;
      afterwards?.();
    }
    if (!isClosing) return;
    isClosing = false;
    await close?.();
    port.close();
  }

  port.postMessage(READY);
  port.on('message', (request: Request<Input>) => {
    receive(request);
    // The calls stay in order even if one of them waits for something.
    last = last.then(answer);
  });
}

/** Runs calls one after another. If one fails, the others still run. */
export function each<Input>(work: (input: Input) => unknown) {
  return async (calls: readonly Input[]): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const input of calls) outcomes.push(await outcomeOf(() => work(input)));
    return outcomes;
  };
}
