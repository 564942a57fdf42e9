import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** An authenticator without hardware: it makes a key, and signs with it, as WebAuthn says. */

export const SITE = { origin: 'https://stoa.example', rpId: 'stoa.example' } as const;

type Algorithm = 'EdDSA' | 'ES256' | 'RS256';

const FLAGS = { present: 0x01, verified: 0x04, hasKey: 0x40 } as const;

/** What an authenticator, or a browser, may do in another way than it should. */
export interface Mischief {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly isPresent?: boolean;
  readonly isVerified?: boolean;
  /** What the authenticator says instead of its own. */
  readonly counter?: number;
  readonly userHandle?: string | undefined;
  readonly credentialId?: string;
  /** Instead of the own key. */
  readonly key?: KeyObject;
  /** CBOR instead of the own public key. */
  readonly coseKey?: Buffer;
  /** What it says of its make. */
  readonly attestation?: { readonly fmt: string; readonly attStmt: CborMap };
}

interface CreationOptions {
  readonly challenge: string;
  readonly user: { readonly id: string };
}

export class Authenticator {
  readonly credentialId: string;
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly #algorithm: Algorithm;
  /** Goes up by one with each use; undefined for one that has no counter. */
  #counter: number | undefined;
  #userHandle: string | undefined;

  constructor(algorithm: Algorithm = 'EdDSA', { counts = false, idBytes = 16 } = {}) {
    this.#algorithm = algorithm;
    this.#keys = newKeys(algorithm);
    this.#counter = counts ? 1 : undefined;
    this.credentialId = randomBytes(idBytes).toString('base64url');
  }

  get privateKey(): KeyObject {
    return this.#keys.privateKey;
  }

  /** As `navigator.credentials.create` and `toJSON`. */
  create({ challenge, user }: CreationOptions, mischief: Mischief = {}) {
    this.#userHandle = user.id;
    const { fmt, attStmt } = mischief.attestation ?? { fmt: 'none', attStmt: new Map() };
    const id = Buffer.from(this.credentialId, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const key = mischief.coseKey ?? cbor(coseKey(this.#algorithm, this.#keys.publicKey));
    const authData = Buffer.concat([this.#data(FLAGS.hasKey, mischief), Buffer.alloc(16), length, id, key]);
    const attestationObject = cbor(
      new Map<string, Cbor>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', authData],
      ]),
    );
    return {
      ...this.#credential(mischief),
      response: {
        clientDataJSON: clientData('webauthn.create', challenge, mischief).toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal', 'hybrid'],
      },
    };
  }

  /** As `navigator.credentials.get` and `toJSON`. */
  get({ challenge }: { readonly challenge: string }, mischief: Mischief = {}) {
    if (this.#counter !== undefined) this.#counter++;
    const client = clientData('webauthn.get', challenge, mischief);
    const authenticatorData = this.#data(0, mischief);
    const signed = Buffer.concat([authenticatorData, createHash('sha256').update(client).digest()]);
    const hash = this.#algorithm === 'EdDSA' ? null : 'sha256';
    const userHandle = 'userHandle' in mischief ? mischief.userHandle : this.#userHandle;
    return {
      ...this.#credential(mischief),
      response: {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: sign(hash, signed, mischief.key ?? this.#keys.privateKey).toString('base64url'),
        ...(userHandle === undefined ? {} : { userHandle }),
      },
    };
  }

  #credential({ credentialId = this.credentialId }: Mischief) {
    return {
      id: credentialId,
      rawId: credentialId,
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
    };
  }

  #data(flags: number, { rpId = SITE.rpId, isPresent = true, isVerified = true, counter }: Mischief): Buffer {
    const data = Buffer.alloc(37);
    createHash('sha256').update(rpId).digest().copy(data);
    data[32] = flags | (isPresent ? FLAGS.present : 0) | (isVerified ? FLAGS.verified : 0);
    data.writeUInt32BE(counter ?? this.#counter ?? 0, 33);
    return data;
  }
}

function clientData(type: string, challenge: string, mischief: Mischief): Buffer {
  const { origin = SITE.origin, crossOrigin = false } = mischief;
  return Buffer.from(JSON.stringify({ type: mischief.type ?? type, challenge, origin, crossOrigin }));
}

function newKeys(algorithm: Algorithm) {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return algorithm === 'EdDSA'
    ? generateKeyPairSync('ed25519')
    : generateKeyPairSync('rsa', { modulusLength: 2048 });
}

function coseKey(algorithm: Algorithm, publicKey: KeyObject): CborMap {
  const jwk = publicKey.export({ format: 'jwk' });
  const bytes = (text = '') => Buffer.from(text, 'base64url');
  const members: Record<Algorithm, [number, Cbor][]> = {
    EdDSA: [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(jwk.x)],
    ],
    ES256: [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(jwk.x)],
      [-3, bytes(jwk.y)],
    ],
    RS256: [
      [1, 3],
      [3, -257],
      [-1, bytes(jwk.n)],
      [-2, bytes(jwk.e)],
    ],
  };
  return new Map(members[algorithm]);
}

type Cbor = number | string | Buffer | CborMap;
export type CborMap = ReadonlyMap<number | string, Cbor>;

/** CBOR (RFC 8949) of what authenticators send. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const members = [...value].flatMap(([key, each]) => [cbor(key), cbor(each)]);
  return Buffer.concat([head(5, value.size), ...members]);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 0xff]);
}
