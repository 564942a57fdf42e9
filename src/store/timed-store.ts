import type { BoundedLog } from '../domain/bounded-log.ts';
import { SLOW_MS, timed } from '../domain/spent.ts';
import type { Store } from './store.ts';

/**
 * The same store, whose operations count for the request that waits for them (`Spent`), by their names. A slow one
 * outside of requests has a line of its own in the log.
 */
export function timedStore(store: Store, slow: BoundedLog): Store {
  const outsideRequests = (operation: string, milliseconds: number) => {
    if (milliseconds >= SLOW_MS) slow.note({ operation, ms: Math.round(milliseconds) }, 'slow operation');
  };
  return {
    read: (operation, input) => timed(operation.name, () => store.read(operation, input), outsideRequests),
    write: (operation, input) => timed(operation.name, () => store.write(operation, input), outsideRequests),
    onWrite: (listener) => store.onWrite(listener),
    onAnnouncement: (listener) => store.onAnnouncement(listener),
    ping: () => store.ping(),
    readings: () => store.readings(),
    measure: () => store.measure(),
    close: () => store.close(),
  };
}
