import { Type } from 'typebox';
import type { Section } from '../accounts/personal-data.ts';
import { CLOSING_CONTENT } from '../accounts/tables.ts';
import { ROLES } from '../domain/account.ts';

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
  {
    removed_at: Type.String({
      format: 'date-time',
      description: 'When the account is removed for good, which is to come.',
    }),
  },
  { $id: 'ClosedAccount', description: 'An account that was closed.' },
);

const Account = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  username: Type.String(),
  email: Type.String(),
  role: Type.Enum(ROLES),
  created_at: Type.String({ format: 'date-time' }),
  last_sign_in_at: Type.Optional(Type.String({ format: 'date-time' })),
  email_verified_at: Type.Optional(Type.String({ format: 'date-time' })),
  display_name: Type.Optional(Type.String()),
  profile: Type.Optional(Type.Object({}, { additionalProperties: true })),
});

/** The document of an export: a list for each section. */
export function accountExport(sections: readonly Section[]) {
  const items = Type.Array(Type.Object({}, { additionalProperties: true }));
  return Type.Object(
    {
      exported_at: Type.String({ format: 'date-time' }),
      account: Account,
      ...Object.fromEntries(sections.map(({ name, description }) => [name, { ...items, description }])),
    },
    { $id: 'AccountExport', description: 'Everything about an account.' },
  );
}
