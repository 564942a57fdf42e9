import { Type } from 'typebox';
import { ACCOUNT_FIELDS } from '../accounts/fields.ts';
import { rulesFor } from '../store/fields.ts';

export const Setup = Type.Object(
  {
    token: Type.String({
      maxLength: 64,
      description: 'As the link has it that the service prints at its start.',
      examples: ['stoa_su_Zk3v9Q'],
    }),
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
