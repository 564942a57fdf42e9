import { Type } from 'typebox';
import { RefreshTokenIn } from '../sessions/contract.ts';
import { AuthenticationResponse } from './passkeys/contract.ts';

export const SecondFactorAnswer = Type.Object(
  {
    challenge: Type.String({ description: 'As the login has answered it.' }),
    code: Type.Optional(
      Type.String({
        description: 'Six digits of an authenticator app, or a recovery code.',
        examples: ['123456'],
      }),
    ),
    response: Type.Optional(AuthenticationResponse),
    refresh_token_in: RefreshTokenIn,
  },
  {
    $id: 'SecondFactorAnswer',
    description: 'What completes a login: the challenge, and a code or the use of a passkey.',
    examples: [{ challenge: 'stoa_sf_Zk3v9Q', code: '123456' }],
    allOf: [{ anyOf: [{ required: ['code'] }, { required: ['response'] }] }],
  },
);

export const TotpConfirmation = Type.Object(
  { code: Type.String({ description: 'Six digits of an authenticator app.', examples: ['123456'] }) },
  { $id: 'TotpConfirmation', description: 'A first code, which shows that the app has the secret.' },
);

export const TotpSecret = Type.Object(
  {
    secret: Type.String({ description: 'In base32, to be typed into an authenticator app.' }),
    uri: Type.String({ description: 'The same as otpauth:// URI, to be shown as a QR code.' }),
  },
  { $id: 'TotpSecret', description: 'What an authenticator app needs, shown this once.' },
);

export const RecoveryCodes = Type.Object(
  {
    recovery_codes: Type.Array(Type.String({ examples: ['0a1b-2c3d-4e5f-6g7h'] }), {
      description: 'Each completes one login.',
    }),
  },
  { $id: 'RecoveryCodes', description: 'Ten codes in the place of all before, shown this once.' },
);

export const SecondFactors = Type.Object(
  {
    totp: Type.Optional(
      Type.Object(
        { enabled_at: Type.String({ format: 'date-time' }) },
        { description: 'There where an authenticator app is on.' },
      ),
    ),
    passkeys: Type.Integer({ minimum: 0, description: 'How many there are (GET /api/auth/passkeys).' }),
    recovery_codes_left: Type.Integer({ minimum: 0 }),
  },
  { $id: 'SecondFactors', description: 'The second factors of the caller.' },
);
