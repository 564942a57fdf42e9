import { connect, type Socket } from 'node:net';

/** One whole answer. `body` is read only if the caller asked for bodies. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

const READ_BUFFER = 64 * 1024;
const END_OF_HEAD = '\r\n\r\n';
const LENGTH = 'content-length: ';

/**
 * One keep-alive HTTP/1.1 connection with one request under way at a time. It reads no more of an answer than a
 * measurement needs, because on a small machine every microsecond of the load generator is taken from the server.
 * Answers must state their length, as all answers of the service do.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #keepsBodies: boolean;
  #onAnswer: ((answer: Answer) => void) | undefined;
  #head = '';
  #status = 0;
  #missing = 0;
  #body = '';

  private constructor(socket: Socket, keepsBodies: boolean) {
    this.#socket = socket;
    this.#keepsBodies = keepsBodies;
  }

  /** Resolves when the connection is open. If it breaks later, the answer has the status 0. */
  static open(port: number, keepsBodies = false): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket: Socket = connect({
        port,
        host: '127.0.0.1',
        noDelay: true,
        onread: {
          buffer: Buffer.allocUnsafe(READ_BUFFER),
          callback: (size, buffer) => {
            connection.#read(buffer as Buffer, size);
            return true;
          },
        },
      });
      const connection = new Connection(socket, keepsBodies);
      socket.once('connect', () => resolve(connection));
      socket.once('error', reject);
      socket.once('close', () => connection.#finish({ status: 0, body: '' }));
    });
  }

  send(request: string, onAnswer: (answer: Answer) => void): void {
    this.#onAnswer = onAnswer;
    if (this.#socket.destroyed) this.#finish({ status: 0, body: '' });
    else this.#socket.write(request, 'latin1');
  }

  ask(request: string): Promise<Answer> {
    return new Promise((resolve) => this.send(request, resolve));
  }

  close(): void {
    this.#onAnswer = undefined;
    this.#socket.destroy();
  }

  #read(buffer: Buffer, size: number): void {
    let start = 0;
    if (this.#missing === 0) {
      const end = buffer.indexOf(END_OF_HEAD);
      const isWhole = end >= 0 && end < size;
      this.#head += buffer.toString('latin1', 0, isWhole ? end : size);
      if (!isWhole) return;
      start = end + END_OF_HEAD.length;
      this.#beginBody(this.#head);
      this.#head = '';
    }
    if (this.#keepsBodies) this.#body += buffer.toString('latin1', start, size);
    this.#missing -= size - start;
    if (this.#missing > 0) return;
    const answer = { status: this.#status, body: this.#body };
    this.#body = '';
    this.#missing = 0;
    this.#finish(answer);
  }

  #beginBody(head: string): void {
    const at = head.indexOf(LENGTH);
    const status = Number(head.slice(9, 12));
    if (at < 0 && status !== 304) throw new Error(`An answer does not state its length:\n${head}`);
    this.#status = status;
    // A 304 has no body, whatever length it states.
    this.#missing = status === 304 ? 0 : Number.parseInt(head.slice(at + LENGTH.length), 10);
  }

  #finish(answer: Answer): void {
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    onAnswer?.(answer);
  }
}
