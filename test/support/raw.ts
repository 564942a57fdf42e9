import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/**
 * A connection that sends these bytes and reads nothing until somebody asks it to; it goes with the test. Another
 * address of this machine (127.0.0.2 and so on) is another source to the service.
 */
export function sendRaw(
  t: Pick<TestContext, 'after'>,
  url: string,
  bytes: string,
  localAddress = '127.0.0.1',
): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  socket.write(bytes, 'latin1');
  return socket;
}

export function rawGet(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
}

export function rawPost(path: string, length: number, token = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${length}\r\n\r\n`;
}

/** The next bytes that the service sends. */
export async function firstOf(socket: Socket): Promise<string> {
  return String((await once(socket, 'data'))[0]);
}

/** True while a process holds the other end of the connection, by the kernel's own list. */
export function isHeldByService({ localPort, remotePort }: Socket): boolean {
  const endsWith = (port: number | undefined) =>
    `:${(port ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .some(
      ([, local = '', remote = '', , , , , , , inode]) =>
        local.endsWith(endsWith(remotePort)) && remote.endsWith(endsWith(localPort)) && inode !== '0',
    );
}
