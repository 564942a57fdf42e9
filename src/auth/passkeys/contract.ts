import { type Static, Type } from 'typebox';
import { isoTime } from '../../domain/time.ts';
import { PageOf } from '../../http/paging.ts';
import { Challenge, Descriptor, PublicKeyType, Timeout } from '../../http/passkey-options.ts';
import type { Formats } from '../../http/validation.ts';
import { RefreshTokenIn } from '../browser/contract.ts';
import { givenName } from '../contract.ts';
import type { PasskeyRow } from './list.ts';

/** Members of WebAuthn keep the names that browsers have for them, so that a page passes them on as they are. */

/** Bytes that the longest id of a credential has (WebAuthn, 4: "Credential ID"), and those that other members may have. */
const MOST_BYTES = {
  credentialId: 1023,
  clientData: 1536,
  attestation: 2560,
  authenticatorData: 512,
  signature: 1024,
};
/** A user handle has 64 bytes at most. */
const HANDLE_BYTES = 64;

export const passkeyFormats: Formats = {
  base64url: {
    validate: (text) => /^[A-Za-z0-9_-]*$/.test(text),
    must: 'must be base64url without padding',
  },
};

function Bytes(most: number, description: string) {
  return Type.String({
    format: 'base64url',
    minLength: 1,
    maxLength: Math.ceil((most * 4) / 3),
    description,
  });
}

const CredentialId = Bytes(MOST_BYTES.credentialId, 'The id that the authenticator gave the passkey.');
const ClientData = Bytes(MOST_BYTES.clientData, 'What the browser says of the page.');

const Name = givenName('My phone');

export const RegistrationResponse = Type.Object(
  {
    id: CredentialId,
    type: PublicKeyType,
    response: Type.Object({
      clientDataJSON: ClientData,
      attestationObject: Bytes(
        MOST_BYTES.attestation,
        'The new passkey. What it says of the make of the authenticator is not read.',
      ),
      transports: Type.Optional(
        Type.Array(Type.String({ pattern: '^[a-z-]{1,32}$', examples: ['internal'] }), {
          maxItems: 8,
          description: 'How the authenticator can be reached.',
        }),
      ),
    }),
  },
  {
    $id: 'RegistrationResponseJSON',
    description: 'What `navigator.credentials.create` gave, by its method `toJSON`.',
  },
);
export type RegistrationResponse = Static<typeof RegistrationResponse>;

export const AuthenticationResponse = Type.Object(
  {
    id: CredentialId,
    type: PublicKeyType,
    response: Type.Object({
      clientDataJSON: ClientData,
      authenticatorData: Bytes(MOST_BYTES.authenticatorData, 'What the authenticator says of this use.'),
      signature: Bytes(MOST_BYTES.signature, 'By the private key of the passkey.'),
      userHandle: Type.Optional(Bytes(HANDLE_BYTES, 'Whom the passkey is for.')),
    }),
  },
  {
    $id: 'AuthenticationResponseJSON',
    description: 'What `navigator.credentials.get` gave, by its method `toJSON`.',
  },
);
export type AuthenticationResponse = Static<typeof AuthenticationResponse>;

export const NewPasskey = Type.Object(
  { name: Name, response: RegistrationResponse },
  { $id: 'NewPasskey', description: 'A passkey to be kept.' },
);

export const PasskeyLogin = Type.Object(
  { response: AuthenticationResponse, refresh_token_in: RefreshTokenIn },
  { $id: 'PasskeyLogin', description: 'A use of a passkey.' },
);

export const CreationOptions = Type.Object(
  {
    challenge: Challenge,
    rp: Type.Object({ id: Type.String({ examples: ['accounts.example.org'] }), name: Type.String() }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    pubKeyCredParams: Type.Array(Type.Object({ type: PublicKeyType, alg: Type.Integer({ examples: [-7] }) })),
    timeout: Timeout,
    excludeCredentials: Type.Array(Descriptor, { description: 'Those that the account has.' }),
    authenticatorSelection: Type.Object({
      residentKey: Type.Literal('required'),
      requireResidentKey: Type.Literal(true),
      userVerification: Type.Literal('required'),
    }),
    attestation: Type.Literal('none'),
  },
  {
    $id: 'PublicKeyCredentialCreationOptionsJSON',
    description:
      'For `navigator.credentials.create`, by `PublicKeyCredential.parseCreationOptionsFromJSON(data)`.',
  },
);
export type CreationOptions = Static<typeof CreationOptions>;

export const Passkey = Type.Object(
  {
    id: Type.String({ examples: ['PGv5TVfQ0p8'] }),
    name: Name,
    created_at: Type.String({ format: 'date-time' }),
    last_used_at: Type.Optional(Type.String({ format: 'date-time' })),
  },
  { $id: 'Passkey', description: 'A passkey of the caller. One that was never used has no last use.' },
);

export const PasskeyPage = PageOf('PasskeyPage', Passkey, 'Newest first');

/** The row of a passkey as the contract shows it. */
export function toPasskey({ id, name, created_at, last_used_at }: PasskeyRow): Static<typeof Passkey> {
  return {
    id,
    name,
    created_at: isoTime(created_at),
    ...(last_used_at !== null && { last_used_at: isoTime(last_used_at) }),
  };
}
