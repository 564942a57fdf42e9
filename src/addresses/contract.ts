import { Type } from 'typebox';
import { ForgottenPassword } from '../passwords/contract.ts';

export const MailedLink = Type.Object(
  {
    token: Type.String({ description: 'As the link of the mail has it.', examples: ['stoa_el_Zk3v9Q'] }),
  },
  { $id: 'MailedLink', description: 'A link of a mail.' },
);

export const EmailInput = Type.Object(
  { email: ForgottenPassword.properties.email },
  { $id: 'EmailInput', description: 'The address that the caller wants to have.' },
);
