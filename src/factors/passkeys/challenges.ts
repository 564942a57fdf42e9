import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { MINUTE_MS } from '../../domain/time.ts';
import { hashOfToken } from '../../domain/token-hash.ts';

const RANDOM_BYTES = 32;
const TIME_BYTES = 6;
const TAG_BYTES = 16;
/** Milliseconds that a challenge lives. This is how long a person may take. */
export const CHALLENGE_MS = 5 * MINUTE_MS;

/** A challenge that came back in time. Only `useChallenge` knows whether it was used before. */
export interface OpenedChallenge {
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Makes and reads challenges: base64url(256 random bits | when it expires | tag). The tag proves that we made it, and for
 * what, so that a challenge needs no row until it is used (docs/decisions/factors.md).
 */
export class Challenges {
  readonly #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /** `purpose` names what the challenge is good for. `now` is in milliseconds since 1970. */
  issue(purpose: string, now: number): string {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeUIntBE(now + CHALLENGE_MS, 0, TIME_BYTES);
    const body = Buffer.concat([randomBytes(RANDOM_BYTES), time]);
    return Buffer.concat([body, this.#tag(purpose, body)]).toString('base64url');
  }

  /** Undefined for a challenge that we did not make for this purpose, that has expired, or is not in its one spelling. */
  open(text: string, purpose: string, now: number): OpenedChallenge | undefined {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length !== RANDOM_BYTES + TIME_BYTES + TAG_BYTES) return undefined;
    if (bytes.toString('base64url') !== text) return undefined;
    const body = bytes.subarray(0, -TAG_BYTES);
    if (!timingSafeEqual(bytes.subarray(-TAG_BYTES), this.#tag(purpose, body))) return undefined;
    const expiresAt = body.readUIntBE(RANDOM_BYTES, TIME_BYTES);
    return expiresAt > now ? { hash: hashOfToken(text), expiresAt } : undefined;
  }

  #tag(purpose: string, body: Buffer): Buffer {
    const mac = createHmac('sha256', this.#secret).update(`passkey challenge, ${purpose}: `).update(body);
    return mac.digest().subarray(0, TAG_BYTES);
  }
}
