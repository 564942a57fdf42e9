import type { Store } from '../../src/store/store.ts';

/** What a test does at the border between the service and its store. */
interface Observer {
  /** Called with the name of each operation, which begins when this call resolves, and fails when the call fails. */
  readonly before?: (operation: string) => unknown;
  /** Called with what each read has returned. The read resolves when this call has. */
  readonly afterRead?: (output: unknown) => unknown;
}

/** The store, with an observer between it and the service. */
export function observed(store: Store, { before = () => {}, afterRead = () => {} }: Observer): Store {
  return {
    read: async (operation, input) => {
      await before(operation.name);
      const output = await store.read(operation, input);
      await afterRead(output);
      return output;
    },
    write: async (operation, input) => {
      await before(operation.name);
      return store.write(operation, input);
    },
    onAnnouncement: (listener) => store.onAnnouncement(listener),
    onWrite: (listener) => store.onWrite(listener),
    readings: () => store.readings(),
    measure: () => store.measure(),
    ping: () => store.ping(),
    close: () => store.close(),
  };
}
