import type { ServerResponse } from 'node:http';
import { LIMITS } from './limits.ts';

/** Bytes of answers that their clients have not taken yet; the one that waits longest comes first. */
const unsent = new Map<ServerResponse, number>();
let total = 0;

/**
 * Bounds what clients that do not read can hold; called once an answer is complete. A client that takes
 * nothing for `LIMITS.unreadTimeout` is hung up on; a slow one that goes on reading is served to the end.
 * When all that waits is more than `LIMITS.unsent`, the clients that have waited longest are hung up on.
 */
export function boundUnsent(response: ServerResponse): void {
  const { socket } = response;
  if (!socket || socket.writableLength === 0) return;
  // When the time is over, Node.js looks whether the client took some of the answer, and waits once more if so.
  // Half of the time would hit slow clients: the kernel takes nothing more until much of its buffer is read.
  socket.setTimeout(LIMITS.unreadTimeout);
  unsent.set(response, socket.writableLength);
  total += socket.writableLength;
  response.once('close', () => forget(response));
  while (total > LIMITS.unsent) hangUpOnLongest();
}

function hangUpOnLongest(): void {
  const [longest] = unsent.keys();
  if (!longest) throw new Error('Unsent bytes were counted for no answer.');
  forget(longest);
  longest.destroy();
}

function forget(response: ServerResponse): void {
  total -= unsent.get(response) ?? 0;
  unsent.delete(response);
}
