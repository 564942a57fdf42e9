import { type Static, Type } from 'typebox';
import { refusalOfName } from '../domain/name.ts';
import { codePoints } from '../domain/text.ts';
import { INVISIBLE, refusalOfUsername } from '../domain/username.ts';
import { LIMITS } from '../http/limits.ts';
import { normaliseMembers } from '../http/nfc.ts';
import type { Formats } from '../http/validation.ts';
import { Username, UserReference } from '../users/contract.ts';
import { RefreshTokenIn } from './browser/contract.ts';

/** In code points. */
export const PASSWORD_LENGTH = { min: 8, max: 256 } as const;
/** In code points: what an owner calls a session, a token or a passkey. */
export const NAME_LENGTH = { min: 1, max: 100 } as const;
/** RFC 5321, 4.5.3.1: the longest address and the longest part before its "@". */
const EMAIL_LENGTH = { whole: 254, local: 64 };

const EMAIL = /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]+@[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)+$/u;

/** The rules of names, addresses and passwords, by code points after NFC (decisions 0004 and 0045). */
export const authFormats: Formats = {
  username: {
    validate: (text) => refusalOfUsername(text) === undefined,
    must: (text) => refusalOfUsername(text) ?? '',
  },
  email: { validate: isEmail, must: 'must be an e-mail address, like name@example.org' },
  password: {
    validate: hasPasswordLength,
    must: `must have ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters`,
  },
  name: {
    validate: (text) => refusalOfName(text, NAME_LENGTH.max) === undefined,
    must: (text) => refusalOfName(text, NAME_LENGTH.max) ?? '',
  },
};

/** What an owner calls a token or a passkey: the same rule as for a display name (decisions 0061). */
export function givenName(example: string) {
  return Type.String({
    format: 'name',
    minLength: NAME_LENGTH.min,
    maxLength: NAME_LENGTH.max,
    description:
      '1-100 characters without line breaks, and without invisible ones but for the joiners that a script or an emoji needs.',
    examples: [example],
  });
}

/** Its one spelling, before any rule is checked. */
export const takesName = {
  bodyLimit: LIMITS.authBody,
  preValidation: async (request: { body: unknown }) => normaliseMembers(request.body, ['name']),
};

function hasPasswordLength(text: string): boolean {
  const count = codePoints(text);
  return count >= PASSWORD_LENGTH.min && count <= PASSWORD_LENGTH.max;
}

function isEmail(text: string): boolean {
  const local = text.lastIndexOf('@');
  return (
    text.length <= EMAIL_LENGTH.whole &&
    local <= EMAIL_LENGTH.local &&
    EMAIL.test(text) &&
    !INVISIBLE.test(text)
  );
}

export const Registration = Type.Object(
  {
    username: Username,
    email: Type.String({
      format: 'email',
      description: 'Unique in any case.',
      examples: ['ada@example.org'],
    }),
    password: Type.String({
      format: 'password',
      description: '8-256 characters of any kind.',
      examples: ['correct horse battery'],
    }),
    invitation: Type.Optional(
      Type.String({
        description: 'As the link of an invitation has it; the address is the invited one then.',
      }),
    ),
  },
  {
    $id: 'Registration',
    description: 'A new account.',
    examples: [{ username: 'ada', email: 'ada@example.org', password: 'correct horse battery' }],
  },
);

const NAME_AND_PASSWORD = {
  username: Type.String({ description: 'User name or e-mail address, in any case.', examples: ['ada'] }),
  password: Type.String({ examples: ['correct horse battery'] }),
};

export const Credentials = Type.Object(
  { ...NAME_AND_PASSWORD, refresh_token_in: RefreshTokenIn },
  { $id: 'Credentials', description: 'Who logs in.' },
);

export const Restoration = Type.Object(NAME_AND_PASSWORD, {
  $id: 'Restoration',
  description: 'Who takes their closed account back.',
});

const NewPassword = Type.String({
  format: 'password',
  description: '8-256 characters of any kind.',
  examples: ['a better horse battery'],
});

export const PasswordChange = Type.Object(
  { current_password: Type.String({ examples: ['correct horse battery'] }), new_password: NewPassword },
  { $id: 'PasswordChange', description: 'The password of the caller, and the one to replace it.' },
);

export const ForgottenPassword = Type.Object(
  { email: Type.String({ format: 'email', description: 'In any case.', examples: ['ada@example.org'] }) },
  { $id: 'ForgottenPassword', description: 'Who needs a new password.' },
);

export const PasswordReset = Type.Object(
  { token: Type.String({ description: 'As the link of the mail has it.' }), new_password: NewPassword },
  { $id: 'PasswordReset', description: 'A link of a mail, and the new password.' },
);

export const LoginResult = Type.Object(
  {
    token: Type.String({ description: 'The access token, a signed JWT: "Authorization: Bearer <token>".' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds that the access token lives.', examples: [900] }),
    refresh_token: Type.Optional(
      Type.String({
        description: 'Good for one refresh, which answers with the next one. Absent where the cookie has it.',
      }),
    ),
    refresh_expires_in: Type.Integer({
      description: 'Seconds that the refresh token lives when it is not used.',
      examples: [1_209_600],
    }),
    user: UserReference,
  },
  { $id: 'LoginResult', description: 'The tokens of a session.' },
);
/** As a sign-in makes it, before `answerSignIn` decides where the refresh token goes. */
export type LoginResult = Required<Static<typeof LoginResult>>;

/** Where the tokens of an answer lead. */
export const refreshLink = {
  200: {
    refresh: {
      operationId: 'refresh',
      description: 'Before the access token expires: "Authorization: Bearer <data.refresh_token>".',
    },
  },
};

const Jwk = Type.Object(
  {
    kty: Type.String({ examples: ['OKP'] }),
    crv: Type.String({ examples: ['Ed25519'] }),
    x: Type.String({ description: 'The public key.' }),
    kid: Type.String({ description: 'Names the key; a token has it in its header.' }),
    alg: Type.String({ examples: ['EdDSA'] }),
    use: Type.String({ examples: ['sig'] }),
  },
  { $id: 'Jwk', description: 'A public key (RFC 7517 and RFC 8037).' },
);

export const JwkSet = Type.Object({ keys: Type.Array(Jwk) }, { $id: 'JwkSet', description: 'A JWK set.' });

const NORMALISED = ['username', 'email', 'password', 'current_password', 'new_password'];

/** One spelling for what looks the same, before any rule is checked. */
export function normaliseCredentials(body: unknown): void {
  normaliseMembers(body, NORMALISED);
}

/** What the routes under /api/auth have in common. */
export const takesCredentials = {
  bodyLimit: LIMITS.authBody,
  preValidation: async (request: { body: unknown }) => normaliseCredentials(request.body),
};
