import { Type } from 'typebox';
import { CLOSING_CONTENT } from '../accounts/tables.ts';

export const RemovalQuery = Type.Object({
  content: Type.Optional(
    Type.Enum(CLOSING_CONTENT, {
      type: 'string',
      default: 'keep',
      description:
        'What becomes of the content of the account: `keep` hands it to "deleted account", `delete` deletes it.',
    }),
  ),
});

export const Closed = Type.Object(
  { closes_at: Type.String({ format: 'date-time', description: 'When the account is removed.' }) },
  { $id: 'ClosedAccount', description: 'An account that was closed.' },
);
