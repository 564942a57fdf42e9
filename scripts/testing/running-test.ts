import asyncHooks, { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } from 'node:async_hooks';

/**
 * Loads `node:test` so that it finds the running test in an AsyncLocalStorage. By itself it notes each promise that a
 * test makes, and when each is collected (node:internal/test_runner/harness), which takes an eighth of the processor
 * time of all tests. Whatever imports `node:async_hooks` afterwards gets it as it is.
 */

type Init = (asyncId: number, type: string, triggerAsyncId: number, resource: object) => void;

const running = new AsyncLocalStorage<number>();
let noteResource: Init = () => {};

/** A test, a suite or a hook of `node:test`. */
class TestResource extends AsyncResource {
  constructor(...given: ConstructorParameters<typeof AsyncResource>) {
    super(...given);
    noteResource(this.asyncId(), given[0], this.triggerAsyncId(), this);
  }

  override runInAsyncScope<This, Result>(
    run: (this: This, ...args: unknown[]) => Result,
    thisArg?: This,
    ...args: unknown[]
  ): Result {
    const inside = () => running.run(this.asyncId(), () => Reflect.apply(run, thisArg, args));
    return super.runInAsyncScope(inside);
  }
}

Object.assign(asyncHooks, {
  AsyncResource: TestResource,
  createHook: ({ init }: { init: Init }) => {
    noteResource = init;
    return { enable: () => {}, disable: () => {} };
  },
  executionAsyncId: () => running.getStore() ?? executionAsyncId(),
});
await import('node:test');
Object.assign(asyncHooks, { AsyncResource, createHook, executionAsyncId });
