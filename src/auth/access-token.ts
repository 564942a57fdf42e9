import { randomUUID, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { Failure } from '../domain/failure.ts';
import type { Keyring } from './keyring.ts';
import { ALGORITHM } from './keys.ts';
import { isRefreshToken } from './refresh-token.ts';

/** On the runtime's thread pool: most of what a refresh costs does not hold up other requests. */
const signBeside = promisify(sign);

/** Seconds that an access token lives (decisions 0005). */
export const ACCESS_TOKEN_SECONDS = 15 * 60;
/** The media type of a JWT access token (RFC 9068); a token of any other kind is refused. */
const TYPE = 'at+jwt';
const AUDIENCE = 'stoa';
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const REFRESH_TOKEN_SENT =
  'This is a refresh token, which POST /api/auth/refresh alone takes; send the access token.';

/** Has the text the shape of an access token, valid or not? */
export function isAccessToken(text: string): boolean {
  return COMPACT_JWS.test(text);
}

export interface AccessClaims {
  readonly userId: number;
  readonly sessionId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
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

  /** A compact JWS (RFC 7515, 7.1), signed beside the HTTP thread (decisions 0005). */
  async sign({ userId, sessionId }: { userId: number; sessionId: string }): Promise<string> {
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
    const signature = await signBeside(null, Buffer.from(signed), privateKey);
    return `${signed}.${signature.toString('base64url')}`;
  }

  /** Fails with `token_expired` or `token_invalid`, whatever the string is. */
  async verify(token: string): Promise<AccessClaims> {
    try {
      const { payload } = await jwtVerify(token, ({ kid }) => this.#publicKey(kid), {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer: this.#issuer,
        audience: AUDIENCE,
        requiredClaims: ['exp', 'iat', 'sub', 'sid', 'jti'],
        currentDate: new Date(this.#clock()),
      });
      return claimsOf(payload);
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (error instanceof errors.JWTExpired) throw tokenExpired();
      throw tokenInvalid(isRefreshToken(token) ? REFRESH_TOKEN_SENT : undefined);
    }
  }

  async #publicKey(kid: string | undefined) {
    const key = kid === undefined ? undefined : await this.#keyring.find(kid);
    if (!key) throw tokenInvalid();
    return key.publicKey;
  }
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function claimsOf({ sub, sid, exp }: JWTPayload): AccessClaims {
  const userId = Number(sub);
  if (!Number.isSafeInteger(userId) || typeof sid !== 'string' || exp === undefined) throw tokenInvalid();
  return { userId, sessionId: sid, expiresAt: exp * 1000 };
}

export function tokenExpired(): Failure {
  return new Failure({
    error: 'token_expired',
    message: 'The token has expired; refresh it or log in again.',
  });
}

export function tokenInvalid(message = 'The token is not valid here; log in to get one.'): Failure {
  return new Failure({ error: 'token_invalid', message });
}

export function tokenRevoked(): Failure {
  return new Failure({
    error: 'token_revoked',
    message: 'The session of this token has ended; log in again.',
  });
}
