import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { importJWK, type JWK, SignJWT } from 'jose';
import { listSigningKeys } from '../../src/auth/keys.ts';
import type { Store } from '../../src/store/store.ts';

/** Makes access tokens that the service never issued, each wrong in one way alone. */
export interface Forger {
  /** Like a real one in everything: shows that the others are refused for what they differ in. */
  readonly genuine: () => Promise<string>;
  readonly forgeries: Readonly<Record<string, () => Promise<string>>>;
}

interface Changes {
  readonly header?: object;
  readonly claims?: object;
  readonly key?: Parameters<SignJWT['sign']>[0];
}

/** Takes a real access token of a living session and the service's own key, which no attacker has. */
export async function forgerOf(store: Store, token: string): Promise<Forger> {
  const [signingKey] = await store.read(listSigningKeys, null);
  if (!signingKey) throw new Error('The service has no key.');
  const { kid, private_jwk } = signingKey;
  const jwk: JWK = JSON.parse(private_jwk);
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
      'with a changed subject and the old signature': async () =>
        `${head}.${encode({ ...claims, sub: String(Number(claims.sub) + 1) })}.${signature}`,
      'with a cut signature': async () => `${head}.${payload}.${signature.slice(0, -2)}`,
      'with no signature': async () => `${head}.${payload}.`,
    },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part = ''): string {
  return Buffer.from(part, 'base64url').toString();
}
