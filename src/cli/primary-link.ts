import { Peer } from '../domain/peer.ts';
import { type Ending, endInOrder } from './ending.ts';
import { STOP_SIGNALS, type StopSignal } from './stop-signals.ts';

/** What a worker asks its primary before it listens, and tells it after the order to stop. */
export const MAY_LISTEN = 'may_listen';
export const STOPPED_LISTENING = 'stopped_listening';

/**
 * The link of a worker to its primary. Node.js ends a worker as soon as the link is broken, so no worker serves without its
 * primary.
 */
export function openPrimary(): Peer {
  return new Peer({
    send: (message) => process.send?.(message, undefined, undefined, () => {}),
    onMessage: (listener) => process.on('message', listener),
  });
}

/**
 * Ends the worker in order when the primary says so. A signal to the whole group of processes, such as Ctrl-C, reaches the
 * worker too, and is left to the primary.
 */
export function endByPrimary(
  primary: Peer,
  options: Parameters<typeof endInOrder>[0],
): Pick<Ending, 'cancel'> {
  const { stop, cancel } = endInOrder(options);
  for (const signal of STOP_SIGNALS) process.on(signal, () => {});
  primary.onNotice('stop', (signal) => stop(stopSignalOf(signal)));
  return { cancel };
}

function stopSignalOf(signal: unknown): StopSignal {
  return STOP_SIGNALS.find((each) => each === signal) ?? 'SIGTERM';
}
