/** Lets one loop wait until it is rung. A ring while nobody waits counts for the next wait. */
export class Wake {
  #isRung = false;
  #go = () => {};

  ring(): void {
    this.#isRung = true;
    this.#go();
  }

  /** Resolves when it is rung, after this many milliseconds, or when the signal is aborted. */
  wait(milliseconds: number, stopping: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        stopping.removeEventListener('abort', done);
        this.#go = () => {};
        this.#isRung = false;
        resolve();
      };
      const timer = setTimeout(done, milliseconds).unref();
      stopping.addEventListener('abort', done);
      this.#go = done;
      if (this.#isRung || stopping.aborted) done();
    });
  }
}
