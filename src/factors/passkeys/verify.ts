import type { AuthenticationResponse, RegistrationResponse } from './contract.ts';
import { ALGORITHMS, isGoodKey } from './public-key.ts';
import type { RelyingParty } from './relying-party.ts';

/** Bytes of a COSE key. One of RSA with 4096 bits has 532. */
const MOST_KEY_BYTES = 1024;

export interface NewCredential {
  readonly credentialId: string;
  /** COSE, in base64url. */
  readonly publicKey: string;
  readonly counter: number;
}

/** What both ceremonies are checked against. */
interface Expected {
  readonly relyingParty: RelyingParty;
  /** The challenge as it came. The caller has opened it. */
  readonly challenge: string;
}

/**
 * The challenge that a browser says it was given. It tells one ceremony from another. Undefined where the text is no
 * client data, or where the page was in a frame of another site.
 */
export function challengeIn(clientDataJSON: string): string | undefined {
  let data: unknown;
  try {
    data = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (typeof data !== 'object' || data === null) return undefined;
  if ('crossOrigin' in data && data.crossOrigin !== false) return undefined;
  return 'challenge' in data && typeof data.challenge === 'string' ? data.challenge : undefined;
}

/**
 * Checks a new passkey: it was made on a page of ours for this challenge, the user was verified, and the key is good
 * (`isGoodKey`). Undefined where anything is wrong.
 */
export async function verifyRegistration(
  { id, type, response }: RegistrationResponse,
  expected: Expected,
): Promise<NewCredential | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const helpers = await import('@simplewebauthn/server/helpers');
  try {
    const attestationObject = withoutStatement(response.attestationObject, helpers);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type,
        response: { clientDataJSON: response.clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      ...optionsFor(expected),
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return undefined;
    const { credential } = registrationInfo;
    if (credential.id !== id || credential.publicKey.length > MOST_KEY_BYTES) return undefined;
    const key = helpers.isoCBOR.decodeFirst<unknown>(credential.publicKey);
    if (!(key instanceof Map) || !isGoodKey(key)) return undefined;
    const publicKey = Buffer.from(credential.publicKey).toString('base64url');
    return { credentialId: id, publicKey, counter: credential.counter };
  } catch {
    return undefined;
  }
}

/**
 * Checks a use of a passkey: on a page of ours, for this challenge, by a verified user, signed by the private key. Returns
 * the signature counter. Undefined where anything is wrong.
 */
export async function verifyAuthentication(
  { id, type, response }: AuthenticationResponse,
  expected: Expected,
  publicKey: string,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { clientDataJSON, authenticatorData, signature } = response;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      ...optionsFor(expected),
      // The write that uses the passkey compares its counter: two uses at once would both pass here.
      credential: { id, publicKey: bytesOf(publicKey), counter: 0 },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}

function optionsFor({ relyingParty, challenge }: Expected) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: [...relyingParty.origins],
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
  };
}

/**
 * The attestation object without its statement about the make of the authenticator, which nobody asked for. To check the
 * statement, the library would read certificates, and fetch lists of revoked ones from addresses that they name.
 */
function withoutStatement(
  attestationObject: string,
  { decodeAttestationObject, isoCBOR }: typeof import('@simplewebauthn/server/helpers'),
): string {
  const authData = decodeAttestationObject(bytesOf(attestationObject)).get('authData');
  const bare = new Map<string, string | Uint8Array | Map<string, never>>([
    ['fmt', 'none'],
    ['attStmt', new Map<string, never>()],
    ['authData', authData],
  ]);
  return Buffer.from(isoCBOR.encode(bare)).toString('base64url');
}

/** The bytes in memory of their own: the library's CBOR reads all of the buffer behind an array. */
function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64url, 'base64url'));
}
