import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly token?: string;
  /** A text goes as it is, anything else as JSON. */
  readonly body?: unknown;
}

/** No attack needs an answer that takes longer. */
const PATIENCE_MS = 60_000;

/** Somebody at an address of their own: each of 127.0.0.0/8 is another source for the service. */
export class Person {
  readonly #port: number;
  readonly #address: string;
  readonly #agent: Agent;
  readonly #sockets = new Set<Socket>();
  readonly #answers: Map<string, number>;

  /** `answers` counts what is answered, by method and status, such as "GET 200". */
  constructor(url: string, number: number, answers: Map<string, number>) {
    this.#answers = answers;
    this.#port = Number(new URL(url).port);
    this.#address = `127.0.1.${number}`;
    this.#agent = new Agent({ keepAlive: true });
  }

  /** Asks, reads the answer to its end, and counts it. Resolves with its status, or 0 where there was none. */
  async ask(asked: Ask): Promise<number> {
    const status = await this.#statusOf(asked);
    const answer = `${asked.method ?? 'GET'} ${status}`;
    this.#answers.set(answer, (this.#answers.get(answer) ?? 0) + 1);
    return status;
  }

  #statusOf({ method = 'GET', path, token, body }: Ask): Promise<number> {
    const bytes = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    return new Promise((resolve) => {
      const asked = request(
        {
          ...{ host: '127.0.0.1', port: this.#port, localAddress: this.#address, agent: this.#agent },
          ...{ method, path, timeout: PATIENCE_MS },
          headers: {
            ...(bytes === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) }),
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          },
        },
        (answer) => answer.resume().on('close', () => resolve(answer.statusCode ?? 0)),
      );
      asked.on('error', () => resolve(0));
      asked.on('timeout', () => asked.destroy());
      asked.end(bytes);
    });
  }

  /** Asks again and again, one after the other, until the attack stops. */
  async askOnAndOn(stop: AbortSignal, next: (round: number) => Ask): Promise<void> {
    for (let round = 0; !stop.aborted; round++) {
      // A service that hangs up at once is not asked a thousand times a second.
      if ((await this.ask(next(round))) === 0) await pause(10);
    }
  }

  /** A connection that sends these bytes and never reads. */
  hold(bytes: string): Socket {
    const socket = connect({ host: '127.0.0.1', port: this.#port, localAddress: this.#address });
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    socket.pause();
    socket.write(bytes, 'latin1');
    return socket;
  }

  leave(): void {
    this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }
}
