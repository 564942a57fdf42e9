import { Type } from 'typebox';
import { PASSWORD_LENGTH } from '../domain/password.ts';

/**
 * The most bytes of a body with passwords: two of 256 characters, each as the four code points that a Greek vowel can be,
 * each of these as an escape of six bytes, and an address.
 */
export const PASSWORD_BODY = 16 * 1024;

const NewPassword = Type.String({
  format: 'password',
  description: `${PASSWORD_LENGTH.min}-${PASSWORD_LENGTH.max} characters of any kind.`,
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
  {
    token: Type.String({
      description: 'As the link of the mail has it.',
      examples: ['stoa_pr_Zk3v9Q'],
    }),
    new_password: NewPassword,
  },
  { $id: 'PasswordReset', description: 'A link of a mail, and the new password.' },
);
