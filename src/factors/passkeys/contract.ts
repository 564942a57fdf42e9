import { type Static, type TSchema, Type } from 'typebox';
import { isoTime } from '../../domain/time.ts';
import { PageOf } from '../../http/paging.ts';
import type { Formats } from '../../http/validation.ts';
import { RefreshTokenIn } from '../../sessions/contract.ts';
import { givenName } from '../../sessions/name-contract.ts';
import type { PasskeyRow } from './list.ts';
import { Challenge, Descriptor, PublicKeyType, Timeout } from './options-contract.ts';

/** Members of WebAuthn keep the names that browsers use, so that a page passes them on unchanged. */

/** The most bytes of each member. The limit of a credential id is that of WebAuthn, 4 ("Credential ID"). */
const MOST_BYTES = {
  credentialId: 1023,
  clientData: 1536,
  attestation: 2560,
  authenticatorData: 512,
  signature: 1024,
};
/** The most bytes of a body with a passkey. What a browser sends has the id up to four times. */
export const PASSKEY_BODY = 12 * 1024;
/** The most bytes of a user handle. */
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

/** A credential as browsers write one; `example` is its `response`. */
function CredentialOf<Response extends TSchema>(
  method: 'create' | 'get',
  response: Response,
  name: string,
  example: object,
) {
  return Type.Object(
    { id: CredentialId, type: PublicKeyType, response },
    {
      $id: name,
      description: `What \`navigator.credentials.${method}\` gave, by its method \`toJSON\`.`,
      examples: [{ id: 'mmZ4cuBZJjg1wCAcCwGVZw', type: 'public-key', response: example }],
    },
  );
}

export const RegistrationResponse = CredentialOf(
  'create',
  Type.Object({
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
  'RegistrationResponseJSON',
  { clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0', attestationObject: 'o2NmbXRkbm9uZQ' },
);
export type RegistrationResponse = Static<typeof RegistrationResponse>;

export const AuthenticationResponse = CredentialOf(
  'get',
  Type.Object({
    clientDataJSON: ClientData,
    authenticatorData: Bytes(MOST_BYTES.authenticatorData, 'What the authenticator says of this use.'),
    signature: Bytes(MOST_BYTES.signature, 'By the private key of the passkey.'),
    userHandle: Type.Optional(Bytes(HANDLE_BYTES, 'Whom the passkey is for.')),
  }),
  'AuthenticationResponseJSON',
  {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'SZYN5YgOjGh0NBcP',
    signature: 'MEUCIQDx',
  },
);
export type AuthenticationResponse = Static<typeof AuthenticationResponse>;

export const PasskeyInput = Type.Object(
  { name: Name, response: RegistrationResponse },
  { $id: 'PasskeyInput', description: 'A passkey to be kept.' },
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
      requireResidentKey: Type.Boolean({ description: 'Always true.' }),
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
