import { Type } from 'typebox';
import { ForgottenPassword } from '../contract.ts';
import { PENDING_MS } from './pending-registration.ts';

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
      examples: [PENDING_MS / 1000],
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

export const MailedLink = Type.Object(
  { token: Type.String({ description: 'As the link of the mail has it.' }) },
  { $id: 'MailedLink', description: 'A link of a mail.' },
);

export const NewEmail = Type.Object(
  { email: ForgottenPassword.properties.email },
  { $id: 'NewEmail', description: 'The address that the caller wants to have.' },
);
