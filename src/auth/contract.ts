import { type Static, Type } from 'typebox';
import { streamSafe } from '../domain/stream-safe.ts';
import { codePoints } from '../domain/text.ts';
import type { Formats } from '../http/validation.ts';
import { UserReference } from '../users/contract.ts';

const NAME_LENGTH = { min: 3, max: 20 };
const PASSWORD_LENGTH = { min: 8, max: 256 };
/** RFC 5321, 4.5.3.1: the longest address and the longest part before its "@". */
const EMAIL_LENGTH = { whole: 254, local: 64 };

const NAME = /^[\p{L}\p{M}\p{Nd}_.-]+$/u;
const EMAIL = /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]+@[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)+$/u;
/** Letters to Unicode, but nothing to see: they would make two names look alike. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/u;

/** The rules of names, addresses and passwords, by code points after NFC (decisions 0004). */
export const authFormats: Formats = {
  username: {
    validate: (text) => within(text, NAME_LENGTH) && NAME.test(text) && !INVISIBLE.test(text),
    must: `must be ${NAME_LENGTH.min} to ${NAME_LENGTH.max} letters, digits or any of "_", "." and "-"`,
  },
  email: { validate: isEmail, must: 'must be an e-mail address, like name@example.org' },
  password: {
    validate: (text) => within(text, PASSWORD_LENGTH),
    must: `must have ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters`,
  },
};

function within(text: string, { min, max }: { min: number; max: number }): boolean {
  const count = codePoints(text);
  return count >= min && count <= max;
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

export const Registration = Type.Object({
  username: Type.String({
    format: 'username',
    description: '3-20 letters, marks and digits of any script, "_", "." and "-". Unique in any spelling.',
    examples: ['ada'],
  }),
  email: Type.String({ format: 'email', description: 'Unique in any case.', examples: ['ada@example.org'] }),
  password: Type.String({
    format: 'password',
    description: '8-256 characters of any kind.',
    examples: ['correct horse battery'],
  }),
});

export const Credentials = Type.Object({
  username: Type.String({ description: 'User name or e-mail address, in any case.', examples: ['ada'] }),
  password: Type.String({ examples: ['correct horse battery'] }),
});

export const LoginResult = Type.Object({
  token: Type.String({ description: 'The access token, a signed JWT: "Authorization: Bearer <token>".' }),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer({ description: 'Seconds that the access token lives.' }),
  refresh_token: Type.String({ description: 'Good for one refresh, which answers with the next one.' }),
  refresh_expires_in: Type.Integer({
    description: 'Seconds that the refresh token lives when it is not used.',
  }),
  user: UserReference,
});
export type LoginResult = Static<typeof LoginResult>;

export const JwkSet = Type.Object(
  {
    keys: Type.Array(
      Type.Object({
        kty: Type.String(),
        crv: Type.String(),
        x: Type.String({ description: 'The public key.' }),
        kid: Type.String(),
        alg: Type.String(),
        use: Type.String(),
      }),
    ),
  },
  { description: 'A JWK set.' },
);

/** One spelling for what looks the same, before any rule is checked (NFC). */
export function normaliseCredentials(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  const members = body as Record<string, unknown>;
  for (const name of ['username', 'email', 'password']) {
    const value = members[name];
    if (typeof value === 'string') members[name] = streamSafe(value).normalize('NFC');
  }
}
