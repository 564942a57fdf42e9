import { type Static, Type } from 'typebox';
import { DISPLAY_NAME_LENGTH } from '../domain/name.ts';
import { MFA_REQUIRED } from '../domain/second-factor.ts';
import { USERNAME_LENGTH } from '../domain/username.ts';
import { NAME_LENGTH, PASSWORD_LENGTH } from './contract.ts';
import type { AuthParts } from './parts.ts';

function Length(what: string, { min, max }: { readonly min: number; readonly max: number }) {
  return Type.Object(
    { min: Type.Literal(min, { type: 'integer' }), max: Type.Literal(max, { type: 'integer' }) },
    { description: `Characters of ${what}, as code points after NFC.` },
  );
}

export const AuthSettings = Type.Object(
  {
    registration: Type.Enum(['open', 'invite', 'closed'], {
      type: 'string',
      description: 'Who may register: anyone, who has an invitation, or nobody.',
    }),
    email_verification: Type.Enum(['off', 'required'], {
      type: 'string',
      description: 'With `required` a registration waits for the link of a mail.',
    }),
    mfa_required: Type.Enum(MFA_REQUIRED, {
      type: 'string',
      description: 'Which accounts must have a second factor.',
    }),
    mail: Type.Boolean({
      description:
        'Does the service send mail? Without it nobody resets a password or changes an address by a link.',
    }),
    passkeys: Type.Boolean({ description: 'Can passkeys be added and used?' }),
    password_blocklist: Type.Boolean({
      description: 'Are common passwords refused, and those made of the own name and address?',
    }),
    username_length: Length('a user name', USERNAME_LENGTH),
    display_name_length: Length('a display name', DISPLAY_NAME_LENGTH),
    name_length: Length('the name of a session, a token or a passkey', NAME_LENGTH),
    password_length: Length('a password', PASSWORD_LENGTH),
  },
  {
    $id: 'AuthSettings',
    description: 'What a client needs to know before it shows a form. The settings keep their names.',
  },
);
type AuthSettings = Static<typeof AuthSettings>;

/** The settings of this service, which stay as they are until it starts again. */
export function authSettingsOf(parts: AuthParts): AuthSettings {
  return {
    registration: parts.registration,
    email_verification: parts.requiresProof ? 'required' : 'off',
    mfa_required: parts.mfaRequired,
    mail: parts.sendsMail,
    passkeys: parts.passkeys.relyingParty !== undefined,
    password_blocklist: parts.passwordBlocklist.size > 0,
    username_length: USERNAME_LENGTH,
    display_name_length: DISPLAY_NAME_LENGTH,
    name_length: NAME_LENGTH,
    password_length: PASSWORD_LENGTH,
  };
}
