import type { Socket } from 'node:net';
import { LIMITS } from './limits.ts';

/**
 * Ends the connection after the answer that is being written, in the way of RFC 9112, 9.6: the service sends no more,
 * and throws away what the client still sends, up to `LIMITS.discardedBody` bytes and for `LIMITS.lingering`. If the
 * connection were closed at once, its reset could reach the client before the answer does.
 */
export function lingerAfterAnswer(socket: Socket): void {
  // Node.js calls this after the last answer of a connection, and would close it there.
  socket.destroySoon = () => {
    const end = () => socket.destroy();
    const begun = socket.bytesRead;
    socket
      // Nothing is parsed any more, because the size of the chunks would decide what that costs.
      .removeAllListeners('data')
      .on('data', () => {
        if (socket.bytesRead - begun > LIMITS.discardedBody) end();
      })
      .once('end', end)
      .end();
    destroyAfter(socket, LIMITS.lingering);
  };
}

/** Gives the client this many milliseconds. Otherwise a client that never closes its side would stay for ever. */
export function destroyAfter(socket: Socket, milliseconds: number): void {
  const timer = setTimeout(() => socket.destroy(), milliseconds).unref();
  socket.once('close', () => clearTimeout(timer));
}
