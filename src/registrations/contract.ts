import { Type } from 'typebox';
import { ACCOUNT_FIELDS } from '../accounts/fields.ts';
import { ForgottenPassword } from '../passwords/contract.ts';
import { PURPOSES } from '../services/links/purposes.ts';
import { rulesFor } from '../store/fields.ts';

const registered = rulesFor(ACCOUNT_FIELDS, 'registration', Type);
/** The members that get one spelling before any rule is checked. */
export const REGISTERED = Object.keys(registered).filter((name) => name !== 'password');

export const Registration = Type.Object(
  {
    ...registered,
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

export const PendingRegistration = Type.Object(
  {
    status: Type.Literal('pending', {
      type: 'string',
      description: 'Tells it from a user, who has an id and no such member.',
    }),
    username: Type.String({ examples: ['ada'] }),
    email: Type.String({ examples: ['ada@example.org'] }),
    expires_in: Type.Integer({
      description: 'Seconds within which the link of the mail is to be followed.',
      examples: [PURPOSES.register.lifeMs / 1000],
    }),
  },
  {
    $id: 'PendingRegistration',
    description: 'A registration that waits until its address is proved. There is no account yet.',
  },
);

export const RegistrationResend = Type.Object(
  {
    username: Type.String({ description: 'As the registration has it.', examples: ['ada'] }),
    email: ForgottenPassword.properties.email,
  },
  { $id: 'RegistrationResend', description: 'A registration that waits until its address is proved.' },
);
