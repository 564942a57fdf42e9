import { Type } from 'typebox';

/** What a browser needs to use a passkey. A login answers it, and so does a failure that asks for a second factor. */

export const PublicKeyType = Type.Literal('public-key');
export const Challenge = Type.String({ description: 'Good for one use.' });
export const Timeout = Type.Integer({
  description: 'Milliseconds that the challenge lives.',
  examples: [300_000],
});

export const Descriptor = Type.Object({
  type: PublicKeyType,
  id: Type.String(),
  transports: Type.Array(Type.String()),
});

export const RequestOptions = Type.Object(
  {
    challenge: Challenge,
    rpId: Type.String({ examples: ['accounts.example.org'] }),
    timeout: Timeout,
    userVerification: Type.Literal('required'),
    allowCredentials: Type.Array(Descriptor, {
      description: 'The passkeys of the account; empty for any passkey of this service.',
    }),
  },
  {
    $id: 'PublicKeyCredentialRequestOptionsJSON',
    description:
      'For `navigator.credentials.get`, by `PublicKeyCredential.parseRequestOptionsFromJSON(...)`.',
  },
);
