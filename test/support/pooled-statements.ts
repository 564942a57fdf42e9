import { createHash } from 'node:crypto';

/** A statement that a connection of the server needs before it gets the messages. */
export interface Needed {
  readonly name: string;
  /** The messages that prepare it anew. */
  readonly messages: Buffer;
}

/** A message of PostgreSQL's protocol: its letter, its length, and its body. */
export function message(letter: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

export const SYNC = message('S');

/**
 * The prepared statements of one client of a pooler in transaction mode, as PgBouncer keeps them from version 1.21: all
 * clients share a statement of the same text, under a name that the text gives, and each connection that lacks it gets it
 * before its use.
 */
export class PreparedStatements {
  readonly #known = new Map<string, Needed>();
  #rest = Buffer.alloc(0);

  /** The whole messages that have come so far under the shared names, and the statements that they use. */
  renamed(chunk: Buffer): { readonly bytes: Buffer; readonly needed: Needed[]; readonly prepared: string[] } {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const [messages, needed, prepared]: [Buffer[], Needed[], string[]] = [[], [], []];
    while (this.#rest.length >= 5 && this.#rest.length > this.#rest.readUInt32BE(1)) {
      const end = this.#rest.readUInt32BE(1) + 1;
      const [letter, body] = [this.#rest.toString('latin1', 0, 1), this.#rest.subarray(5, end)];
      messages.push(this.#renamed(letter, body, needed, prepared));
      this.#rest = this.#rest.subarray(end);
    }
    return { bytes: Buffer.concat(messages), needed, prepared };
  }

  #renamed(letter: string, body: Buffer, needed: Needed[], prepared: string[]): Buffer {
    // Bind names a portal first. Describe and Close say first what they name.
    const from = letter === 'B' ? body.indexOf(0) + 1 : letter === 'P' ? 0 : 1;
    const to = body.indexOf(0, from);
    const name = body.toString('utf8', from, to);
    const isOfStatement =
      'BP'.includes(letter) || ('CD'.includes(letter) && body.toString('latin1', 0, 1) === 'S');
    if (!isOfStatement || name === '') return message(letter, body);
    if (letter === 'P') {
      const shared = createHash('sha256').update(body.subarray(to)).digest('hex');
      const messages = Buffer.concat([message('C', `S${shared}\0`), message('P', shared, body.subarray(to))]);
      this.#known.set(name, { name: shared, messages });
      prepared.push(shared);
      return messages;
    }
    const known = this.#known.get(name);
    if (known && letter !== 'C' && !prepared.includes(known.name)) needed.push(known);
    return message(letter, body.subarray(0, from), known?.name ?? name, body.subarray(to));
  }
}
