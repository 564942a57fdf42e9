import { createHmac, timingSafeEqual } from 'node:crypto';

const ID_BYTES = 6;
const TAG_BYTES = 18;

/**
 * Makes and reads the cursors of walks: base64url(the id of the last item | tag). The tag proves that we made it, and for
 * which list, so that a cursor needs no row. All instances of a database have the same secret, and no other database has
 * it. A cursor from before a restore is refused, because rows that its walk has shown may be gone; all others outlive an
 * upgrade. A cursor gives no right: each step of a walk shows what its caller may see.
 */
export class Cursors {
  readonly #secret: Buffer;
  readonly #restoredAt: number;

  constructor(secret: Buffer, restoredAt: number) {
    this.#secret = secret;
    this.#restoredAt = restoredAt;
  }

  /** `list` names the list, with its filters. */
  issue(list: string, id: number): string {
    const body = Buffer.alloc(ID_BYTES);
    body.writeUIntBE(id, 0, ID_BYTES);
    return Buffer.concat([body, this.#tag(list, body)]).toString('base64url');
  }

  /** The id. Undefined for a cursor that we did not make for this list, or that is not in its one spelling. */
  open(list: string, text: string): number | undefined {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length !== ID_BYTES + TAG_BYTES || bytes.toString('base64url') !== text) return undefined;
    const body = bytes.subarray(0, ID_BYTES);
    if (!timingSafeEqual(bytes.subarray(ID_BYTES), this.#tag(list, body))) return undefined;
    return body.readUIntBE(0, ID_BYTES);
  }

  #tag(list: string, body: Buffer): Buffer {
    const epoch = this.#restoredAt === 0 ? '' : `${this.#restoredAt}, `;
    const mac = createHmac('sha256', this.#secret).update(`cursor, ${epoch}${list}: `).update(body);
    return mac.digest().subarray(0, TAG_BYTES);
  }
}
