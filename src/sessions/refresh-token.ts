import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { hashOfToken } from '../domain/token-hash.ts';
import { type Place, seal, unseal } from '../services/sealing/seal.ts';
import { ID_BYTES } from './random-id.ts';
import { isRefreshToken, REFRESH_PREFIX } from './token-shape.ts';

const RANDOM_BYTES = 32;
const TAG_BYTES = 16;
/** Of the whole token, in characters. */
const LENGTH = REFRESH_PREFIX.length + Math.ceil(((ID_BYTES + RANDOM_BYTES + TAG_BYTES) * 4) / 3);

export interface RefreshToken {
  /** What the client holds: the prefix and base64url(session id | 256 bits | tag). */
  readonly text: string;
  readonly sessionId: string;
  /** What the database holds. SHA-256 without salt is enough for 256 random bits. */
  readonly hash: string;
}

/**
 * Makes and reads refresh tokens (docs/decisions/sessions.md). The tag proves that we issued the token, so an old token
 * differs from an invented one without a row for each. A successor is random. It is kept sealed under its parent, so that
 * a client that presents the parent again gets the same one.
 */
export class RefreshTokens {
  readonly #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  first(): RefreshToken {
    return this.#assemble(randomBytes(ID_BYTES), randomBytes(RANDOM_BYTES));
  }

  successorOf({ sessionId }: RefreshToken): RefreshToken {
    return this.#assemble(Buffer.from(sessionId, 'base64url'), randomBytes(RANDOM_BYTES));
  }

  /** What the successor is sealed under, 32 bytes: HMAC-SHA-256 over the parent under our secret. */
  successorKey(parent: RefreshToken): Uint8Array {
    return this.#mac('successor', Buffer.from(parent.text));
  }

  /** Undefined for anything that this service did not issue, and for other spellings of what it did. */
  parse(text: string): RefreshToken | undefined {
    if (text.length !== LENGTH || !isRefreshToken(text)) return undefined;
    const bytes = Buffer.from(text.slice(REFRESH_PREFIX.length), 'base64url');
    const session = bytes.subarray(0, ID_BYTES);
    const random = bytes.subarray(ID_BYTES, ID_BYTES + RANDOM_BYTES);
    const token = this.#assemble(session, random);
    const [given, expected] = [Buffer.from(text), Buffer.from(token.text)];
    return given.length === expected.length && timingSafeEqual(given, expected) ? token : undefined;
  }

  #assemble(session: Buffer, random: Buffer): RefreshToken {
    const body = Buffer.concat([session, random]);
    const tag = this.#mac('tag', body).subarray(0, TAG_BYTES);
    const text = REFRESH_PREFIX + Buffer.concat([body, tag]).toString('base64url');
    return { text, sessionId: session.toString('base64url'), hash: hashOfToken(text) };
  }

  #mac(purpose: string, bytes: Buffer): Buffer {
    return createHmac('sha256', this.#secret).update(purpose).update(bytes).digest();
  }
}

/** The successor as its session keeps it. */
export function sealSuccessor(key: Uint8Array, { sessionId, text }: RefreshToken): string {
  return seal(key, placeOf(sessionId), text);
}

/** The text of the successor; undefined where the key comes from another token than its parent. */
export function unsealSuccessor(key: Uint8Array, sessionId: string, sealed: string): string | undefined {
  return unseal(key, placeOf(sessionId), sealed);
}

function placeOf(sessionId: string): Place {
  return { table: 'sessions', row: sessionId, column: 'successor_sealed' };
}
