import { randomUUID, sign } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { Failure, tokenExpired, tokenInvalid } from '../domain/failure.ts';
import type { Keyring } from './keyring.ts';
import { ALGORITHM, type SigningKey } from './keys.ts';
import { ACCESS_TOKEN_SECONDS } from './lifetimes.ts';
import { isRefreshToken } from './token-shape.ts';

/** How far the clock of the instance that signed may be ahead of ours. */
const LEEWAY_SECONDS = 60;
/** The media type of a JWT access token (RFC 9068); a token of any other kind is refused. */
const TYPE = 'at+jwt';
const AUDIENCE = 'stoa';
const REFRESH_TOKEN_SENT =
  'This is a refresh token, which only POST /api/auth/refresh takes; send the access token.';

export interface AccessClaims {
  readonly userId: number;
  readonly sessionId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** The id of the key that signed. */
  readonly kid: string;
}

/** Signs and verifies access tokens (JWT, RFC 7519 and RFC 9068) with the service's own keys. */
export class AccessTokens {
  readonly #issuer: string;
  readonly #clock: () => number;
  readonly #keyring: Keyring;

  constructor(keyring: Keyring, issuer: string, clock: () => number) {
    this.#keyring = keyring;
    this.#issuer = issuer;
    this.#clock = clock;
  }

  /** The public keys, for services that check tokens by themselves (RFC 7517). */
  get jwks() {
    return { keys: this.#keyring.keys.map((key) => key.publicJwk) };
  }

  /**
   * A compact JWS (RFC 7515, 7.1). To hand the signing to a thread costs the HTTP thread nearly as much
   * (docs/decisions/sessions.md).
   */
  sign({ userId, sessionId }: { userId: number; sessionId: string }): string {
    const { kid, privateKey } = this.#keyring.current;
    const issuedAt = Math.floor(this.#clock() / 1000);
    const signed = `${encoded({ alg: ALGORITHM, typ: TYPE, kid })}.${encoded({
      iss: this.#issuer,
      aud: AUDIENCE,
      sub: String(userId),
      sid: sessionId,
      jti: randomUUID(),
      iat: issuedAt,
      exp: issuedAt + ACCESS_TOKEN_SECONDS,
    })}`;
    const signature = sign(null, Buffer.from(signed), privateKey);
    return `${signed}.${signature.toString('base64url')}`;
  }

  /** Fails with `token_expired` or `token_invalid`, whatever the string is. */
  async verify(token: string): Promise<AccessClaims> {
    if (isRefreshToken(token)) throw tokenInvalid(REFRESH_TOKEN_SENT);
    if (!isCanonical(token)) throw tokenInvalid();
    const now = this.#clock();
    let signedWith: SigningKey | undefined;
    try {
      const { payload } = await jwtVerify(
        token,
        async ({ kid }) => {
          signedWith = await this.#key(kid);
          return signedWith.publicKey;
        },
        {
          algorithms: [ALGORITHM],
          typ: TYPE,
          issuer: this.#issuer,
          audience: AUDIENCE,
          requiredClaims: ['exp', 'iat', 'sub', 'sid', 'jti'],
          currentDate: new Date(now),
        },
      );
      if (!signedWith) throw tokenInvalid();
      return claimsOf(payload, signedWith.kid, now);
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (error instanceof errors.JWTExpired) throw tokenExpired();
      throw tokenInvalid();
    }
  }

  /** Refuses tokens of a removed key, also those that were verified before. */
  requireKey({ kid }: AccessClaims): void {
    if (!this.#keyring.has(kid)) throw tokenInvalid();
  }

  async #key(kid: string | undefined): Promise<SigningKey> {
    const key = kid === undefined ? undefined : await this.#keyring.find(kid);
    if (!key) throw tokenInvalid();
    return key;
  }
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Decoders ignore unused bits, padding and the other alphabet, so one token would have many spellings. */
function isCanonical(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

function claimsOf({ sub, sid, iat, exp }: JWTPayload, kid: string, now: number): AccessClaims {
  const userId = Number(sub);
  if (!Number.isSafeInteger(userId) || String(userId) !== sub || typeof sid !== 'string')
    throw tokenInvalid();
  if (iat === undefined || exp === undefined) throw tokenInvalid();
  if (exp - iat > ACCESS_TOKEN_SECONDS || iat > now / 1000 + LEEWAY_SECONDS) throw tokenInvalid();
  return { userId, sessionId: sid, expiresAt: exp * 1000, kid };
}
