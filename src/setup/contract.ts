import { Type } from 'typebox';
import { ACCOUNT_FIELDS } from '../accounts/fields.ts';
import { rulesFor } from '../store/fields.ts';

const token = Type.String({
  maxLength: 64,
  description: 'As the link has it that the service prints at its start.',
  examples: ['stoa_su_Zk3v9Q'],
});

export const SetupLink = Type.Object(
  { token },
  { $id: 'SetupLink', description: 'A setup link.', examples: [{ token: 'stoa_su_Zk3v9Q' }] },
);

export const SetupLinkState = Type.Object(
  { usable: Type.Boolean({ description: 'The link can make the first admin now.', examples: [true] }) },
  { $id: 'SetupLinkState', description: 'What a setup link can do.', examples: [{ usable: true }] },
);

export const Setup = Type.Object(
  {
    token,
    ...rulesFor(ACCOUNT_FIELDS, 'registration', Type),
  },
  {
    $id: 'Setup',
    description: 'The first admin.',
    examples: [
      {
        token: 'stoa_su_Zk3v9Q',
        username: 'ada',
        email: 'ada@example.org',
        password: 'correct horse battery',
      },
    ],
  },
);
