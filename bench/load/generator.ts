import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Job, Measured } from './job.ts';

const MODULE = new URL('./generator-process.ts', import.meta.url);

/** The load generator for its parent: a process that does one job at a time. */
export class Generator {
  readonly #child: ChildProcess = fork(MODULE);

  async run(job: Job): Promise<Measured> {
    if (job.requests.length === 0) throw new Error('A job needs a request.');
    return (await this.#ask(job)) as Measured;
  }

  /** Opens keep-alive connections, which are idle after one answered request each, until `dropHeld`. */
  async hold(port: number, connections: number, request: string): Promise<void> {
    const open = await this.#ask({ hold: connections, port, request });
    if (open !== connections) throw new Error(`Only ${String(open)} connections were opened.`);
  }

  async dropHeld(): Promise<void> {
    await this.#ask('drop');
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }

  async #ask(message: Job | { hold: number; port: number; request: string } | 'drop'): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>();
    const lost = () => answer.reject(new Error('The load generator ended.'));
    this.#child.once('message', answer.resolve);
    this.#child.once('exit', lost);
    this.#child.send(message);
    try {
      return await answer.promise;
    } finally {
      this.#child.off('exit', lost);
    }
  }
}
