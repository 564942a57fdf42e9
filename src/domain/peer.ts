import { setTimeout as pause } from 'node:timers/promises';
import { busy } from './failure.ts';
import { errorOf, failed } from './outcome.ts';
import { type Item, isPeerMessage, type PeerMessage } from './peer-messages.ts';

/** Carries messages to the other process, in their order. `send` does nothing where the other process has ended. */
export interface Channel {
  send(message: PeerMessage): void;
  onMessage(listener: (message: unknown) => void): void;
}

/** Calls of this side that may wait for their answers. Further ones are refused as `busy`. */
const LIMIT = 10_000;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * One side of the link between two processes of one service, as `Thread` is for a thread. Each side calls the other by the
 * name of what is to be done, or sends a notice, which has no answer. The items of one turn of the event loop are one
 * message, because a message between processes costs more than most of its items.
 *
 * Guarantees: items arrive in the order in which they were sent. An answer belongs to its call by a number, so a slow
 * call delays no other.
 */
export class Peer {
  readonly #channel: Channel;
  readonly #limit: number;
  readonly #tasks = new Map<string, (input: unknown) => Promise<unknown>>();
  readonly #listeners = new Map<string, (input: unknown) => void>();
  readonly #waiting = new Map<number, Waiting>();
  #lastNumber = 0;
  #unsent: Item[] = [];
  #lost: Error | undefined;

  constructor(channel: Channel, limit = LIMIT) {
    this.#channel = channel;
    this.#limit = limit;
    channel.onMessage((message) => this.#receive(message));
  }

  /** Answers the calls of this name with what the task resolves or fails with. */
  answer(name: string, task: (input: unknown) => Promise<unknown>): void {
    this.#tasks.set(name, task);
  }

  /** Gets the notices of this name. The listener returns at once and does not throw. */
  onNotice(name: string, listener: (input: unknown) => void): void {
    this.#listeners.set(name, listener);
  }

  /** Fails as the task of the other side; with `busy` if too many calls wait; or with the reason of `lose`. */
  call(name: string, input: unknown): Promise<unknown> {
    if (this.#lost) return Promise.reject(this.#lost);
    if (this.#waiting.size >= this.#limit)
      return Promise.reject(busy('Too many requests of this kind are waiting; try again in a moment.'));
    const number = ++this.#lastNumber;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(number, { resolve, reject });
    this.#send({ kind: 'call', number, name, input });
    return promise;
  }

  /** As `call`, but undefined where it fails or has no answer within these milliseconds. */
  async callWithin(milliseconds: number, name: string, input: unknown): Promise<unknown> {
    const end = new AbortController();
    const late = pause(milliseconds, undefined, { ref: false, signal: end.signal }).catch(() => {});
    // Such as where the other process ends meanwhile.
    const answer = this.call(name, input).catch(() => undefined);
    return Promise.race([answer, late]).finally(() => end.abort());
  }

  notify(name: string, input: unknown): void {
    this.#send({ kind: 'notice', name, input });
  }

  /** Called when the other process has ended. The calls that wait fail with the reason, and so do later ones. */
  lose(reason: Error): void {
    this.#lost = reason;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  #send(item: Item): void {
    if (this.#lost) return;
    if (this.#unsent.length === 0) setImmediate(() => this.#flush());
    this.#unsent.push(item);
  }

  #flush(): void {
    const items = this.#unsent;
    this.#unsent = [];
    if (!this.#lost) this.#channel.send({ items });
  }

  #receive(message: unknown): void {
    // Under `node --watch` the runtime sends messages of its own here.
    if (!isPeerMessage(message)) return;
    for (const item of message.items) {
      if (item.kind === 'notice') this.#listeners.get(item.name)?.(item.input);
      else if (item.kind === 'answer') this.#settle(item);
      else void this.#run(item);
    }
  }

  #settle({ number, outcome }: Extract<Item, { kind: 'answer' }>): void {
    const call = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (outcome.ok) call?.resolve(outcome.value);
    else call?.reject(errorOf(outcome));
  }

  async #run({ number, name, input }: Extract<Item, { kind: 'call' }>): Promise<void> {
    const task = this.#tasks.get(name);
    try {
      if (!task) throw new Error(`No task of this process is called "${name}".`);
      this.#send({ kind: 'answer', number, outcome: { ok: true, value: await task(input) } });
    } catch (error) {
      this.#send({ kind: 'answer', number, outcome: failed(error) });
    }
  }
}
