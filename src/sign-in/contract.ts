import { type Static, Type } from 'typebox';
import { DISPLAY_NAME_LENGTH } from '../domain/name.ts';
import { PASSWORD_LENGTH } from '../domain/password.ts';
import { MFA_REQUIRED, SECOND_FACTORS } from '../domain/second-factor.ts';
import { USERNAME_LENGTH } from '../domain/username.ts';
import { RequestOptions } from '../factors/passkeys/options-contract.ts';
import type { FailureMembers } from '../http/failure-members.ts';
import { RefreshTokenIn } from '../sessions/contract.ts';
import { NAME_LENGTH } from '../sessions/name-contract.ts';
import type { SignInParts } from './parts.ts';

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

const challenge = {
  challenge: Type.String({
    description: 'Only with second_factor_required: what POST /api/auth/login/second-factor takes.',
  }),
  methods: Type.Array(Type.Enum(SECOND_FACTORS, { type: 'string' }), {
    description: 'Only with second_factor_required: what the account has.',
  }),
  passkey: Type.Optional(RequestOptions),
  expires_in: Type.Integer({
    description: 'Only with second_factor_required: seconds that the challenge lives.',
  }),
};
const SecondFactorChallenge = Type.Object(challenge);
/** What a sign-in whose password was right is answered, where the account has a second factor. */
export type SecondFactorChallenge = Static<typeof SecondFactorChallenge>;

/** What failures of a sign-in have: how it goes on. */
export const signInFailures: FailureMembers = { 401: Type.Partial(SecondFactorChallenge).properties };

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
    trash_days: Type.Integer({
      minimum: 0,
      description: 'How long a deleted item can be restored. With 0 it is deleted for good at once.',
    }),
    deletion_days: Type.Integer({
      minimum: 0,
      description: 'How long a closed account can be taken back. With 0 it cannot.',
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
export function authSettingsOf(parts: SignInParts): AuthSettings {
  return {
    registration: parts.registration,
    email_verification: parts.requiresProof ? 'required' : 'off',
    mfa_required: parts.mfaRequired,
    mail: parts.sendsMail,
    passkeys: parts.passkeys.relyingParty !== undefined,
    password_blocklist: parts.passwordBlocklist.size > 0,
    trash_days: parts.config.trashDays,
    deletion_days: parts.config.deletionDays,
    username_length: USERNAME_LENGTH,
    display_name_length: DISPLAY_NAME_LENGTH,
    name_length: NAME_LENGTH,
    password_length: PASSWORD_LENGTH,
  };
}
