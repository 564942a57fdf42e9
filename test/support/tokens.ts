import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { importJWK, type JWK, SignJWT } from 'jose';
import { openKey } from '../../src/sessions/keys.ts';
import { listSigningKeys } from '../../src/sessions/signing-keys.ts';
import type { RunningService } from './service.ts';

/** Makes access tokens that the service never issued. Each forgery is wrong in exactly one way. */
export interface Forger {
  /** A token like a real one. It is accepted, so each forgery is refused for its one difference. */
  readonly genuine: () => Promise<string>;
  /** A token with other claims, signed with the service's own key. */
  readonly signed: (claims: object) => Promise<string>;
  readonly forgeries: Readonly<Record<string, () => Promise<string>>>;
}

interface Changes {
  readonly header?: object;
  readonly claims?: object;
  readonly key?: Parameters<SignJWT['sign']>[0];
}

/** Makes a forger of a real access token of a living session, and of the service's own key, which no attacker has. */
export async function forgerOf(
  { store, sealing }: Pick<RunningService, 'store' | 'sealing'>,
  token: string,
): Promise<Forger> {
  const [signingKey] = await store.read(listSigningKeys, null);
  if (!signingKey) throw new Error('The service has no key.');
  const { kid } = signingKey;
  const jwk: JWK = JSON.parse(openKey(sealing, signingKey));
  const ownKey = await importJWK(jwk, 'EdDSA');
  const { d: _, ...publicJwk } = jwk;
  const claims = JSON.parse(decode(token.split('.')[1]));
  const header = { alg: 'EdDSA', typ: 'at+jwt', kid };
  const sign = (changes: Changes) =>
    new SignJWT({ ...claims, jti: randomUUID(), ...changes.claims })
      .setProtectedHeader({ ...header, ...changes.header })
      .sign(changes.key ?? ownKey);
  const handMade = (head: object, signature: (input: string) => string) => {
    const input = `${encode({ ...header, ...head })}.${encode(claims)}`;
    return `${input}.${signature(input)}`;
  };
  const hmac = (key: string | Buffer) => (input: string) =>
    createHmac('sha256', key).update(input).digest('base64url');
  const foreignKey = generateKeyPairSync('ed25519').privateKey;
  const [head = '', payload = '', signature = ''] = token.split('.');
  return {
    genuine: () => sign({}),
    signed: (changed) => sign({ claims: changed }),
    forgeries: {
      'signed with a foreign key': () => sign({ key: foreignKey }),
      'signed with a key of its own header': () =>
        sign({
          key: foreignKey,
          header: { jwk: generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) },
        }),
      'of alg none': async () => handMade({ alg: 'none' }, () => ''),
      'of alg None, with the old signature': async () => handMade({ alg: 'None' }, () => signature),
      'of HS256 with the public key (x)': async () =>
        handMade({ alg: 'HS256' }, hmac(Buffer.from(publicJwk.x ?? '', 'base64url'))),
      'of HS256 with the public key (JWK)': async () =>
        handMade({ alg: 'HS256' }, hmac(JSON.stringify(publicJwk))),
      'of another alg with our signature': async () => handMade({ alg: 'ES256' }, () => signature),
      'of typ JWT': () => sign({ header: { typ: 'JWT' } }),
      'of no typ': () => sign({ header: { typ: undefined } }),
      'of an unknown kid': () => sign({ header: { kid: 'other' } }),
      'of no kid': () => sign({ header: { kid: undefined } }),
      'of an unknown critical extension': async () => handMade({ crit: ['x'], x: 1 }, () => signature),
      'of another issuer': () => sign({ claims: { iss: 'https://elsewhere.example' } }),
      'of no issuer': () => sign({ claims: { iss: undefined } }),
      'for another audience': () => sign({ claims: { aud: 'other' } }),
      'for no audience': () => sign({ claims: { aud: undefined } }),
      'without expiry': () => sign({ claims: { exp: undefined } }),
      'without a session': () => sign({ claims: { sid: undefined } }),
      'with a session that is no text': () => sign({ claims: { sid: 5 } }),
      'without an id': () => sign({ claims: { jti: undefined } }),
      'not valid before tomorrow': () => sign({ claims: { nbf: claims.iat + 86_400 } }),
      'that lives a second longer than ours': () => sign({ claims: { exp: claims.exp + 1 } }),
      'that lives a year': () => sign({ claims: { exp: claims.iat + 365 * 86_400 } }),
      'issued in an hour': () => sign({ claims: { iat: claims.iat + 3_600, exp: claims.exp + 3_600 } }),
      'with a subject in another spelling': () => sign({ claims: { sub: `0${claims.sub}` } }),
      'with a subject with a space': () => sign({ claims: { sub: ` ${claims.sub}` } }),
      'longer than 2 KiB': () => sign({ claims: { more: 'x'.repeat(2_048) } }),
      'with other bits left over in its signature': async () => otherBitsLeftOver(token),
      'with a padded signature': async () => `${token}==`,
      'with a changed subject and the old signature': async () =>
        `${head}.${encode({ ...claims, sub: String(Number(claims.sub) + 1) })}.${signature}`,
      'with a cut signature': async () => `${head}.${payload}.${signature.slice(0, -2)}`,
      'with no signature': async () => `${head}.${payload}.`,
    },
  };
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * The token with another last character that decodes to the same bytes. Of the last character of 64 bytes
 * four bits are left over, and of 56 bytes two; they are zero, and lax decoders ignore them.
 */
export function otherBitsLeftOver(token: string): string {
  return token.slice(0, -1) + BASE64URL[BASE64URL.indexOf(token.at(-1) ?? '') + 1];
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part = ''): string {
  return Buffer.from(part, 'base64url').toString();
}
