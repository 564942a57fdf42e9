import { ADMISSION } from '../../domain/admission/figures.ts';
import { unavailable } from '../../domain/failure.ts';
import type { Reading } from '../../domain/metrics.ts';
import { Thread } from '../../domain/thread.ts';
import type { ReadOperation, runWrite, WriteOperation } from '../operation.ts';
import { callNoting } from './noted-calls.ts';
import type { Call, ThreadData } from './operations.ts';

/**
 * The threads that run operations on one database. The writer starts with the store, the others with their first call.
 * When one is lost, every later call to any of them fails with `unavailable`, because a process that lost a thread ends,
 * and the next start serves.
 */
export class OperationThreads {
  readonly writer: Thread<Call, unknown>;
  readonly reader: Thread<Call, unknown>;
  readonly deriver: Thread<Call, unknown>;
  #lost: Error | undefined;

  constructor(data: ThreadData, onLost: (reason: Error) => void) {
    const lose = (reason: Error) => {
      if (this.#lost) return;
      this.#lost = reason;
      onLost(reason);
    };
    // Further calls are refused as `busy`.
    const { threads } = ADMISSION;
    const thread = (module: URL, limit: number) =>
      new Thread<Call, unknown>(module, { data, limit, failure: unavailable, onLost: lose });
    this.writer = thread(new URL('./writer-thread.ts', import.meta.url), threads.writer);
    this.reader = thread(new URL('./reader-thread.ts', import.meta.url), threads.reader);
    this.deriver = thread(new URL('./derived-thread.ts', import.meta.url), threads.deriver);
  }

  async call<Input, Output>(
    thread: 'reader' | 'deriver',
    { name }: ReadOperation<Input, Output> | WriteOperation<Input, Output>,
    input: Input,
  ): Promise<Output> {
    this.requireAlive();
    return callNoting(this[thread], { name, input }) as Promise<Output>;
  }

  async write<Input, Output>({ name }: WriteOperation<Input, Output>, input: Input) {
    this.requireAlive();
    return callNoting(this.writer, { name, input }) as ReturnType<typeof runWrite<Input, Output>>;
  }

  get readings(): readonly Reading[] {
    const { writer, reader, deriver } = this;
    return Object.entries({ writer, reader, deriver }).flatMap(([thread, { figures }]) => [
      { name: 'stoa_store_waiting', value: figures.waiting, labels: { thread } },
      { name: 'stoa_store_refused_total', value: figures.refused, labels: { thread } },
      { name: 'stoa_store_operations_total', value: figures.answered, labels: { thread } },
      { name: 'stoa_store_batches_total', value: figures.batches, labels: { thread } },
    ]);
  }

  /** Fails with `unavailable` once a thread was lost. */
  requireAlive(): void {
    if (this.#lost) throw unavailable(this.#lost);
  }
}
