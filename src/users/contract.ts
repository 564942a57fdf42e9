import { type Static, Type } from 'typebox';
import type { UserRow } from '../accounts/tables.ts';
import { ACCOUNT_STATES, ROLES } from '../domain/account.ts';
import { isoTime } from '../domain/time.ts';
import { keywordQuery, PageOf, PageQuery } from '../http/paging.ts';

/** A user name that is being chosen; `auth/contract.ts` has the format. */
export const Username = Type.String({
  format: 'username',
  description:
    '3-20 letters, marks and digits of any one script, "_", "." and "-", with a letter or digit and without a dot at an end. Japanese, Chinese and Korean may have Latin letters beside their own. Unique in any spelling, and beyond ASCII by its looks too.',
  examples: ['ada'],
});

/** A user as lists show it; times are ISO 8601 in UTC. */
export const User = Type.Object(
  {
    id: Type.Integer({ minimum: 1, examples: [1] }),
    username: Type.String({ examples: ['ada'] }),
    email: Type.String({ examples: ['ada@example.org'] }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'User', description: 'A user.' },
);
export type User = Static<typeof User>;

/** What admins see of an account beside; absent in any other list. */
export const ofAdmins = {
  role: Type.Enum(ROLES, { type: 'string', description: 'What the account may do.' }),
  state: Type.Enum(ACCOUNT_STATES, {
    type: 'string',
    description: 'Nobody signs in to one that is not active.',
  }),
  email_verified: Type.Boolean({ description: 'Has somebody proved the address by a link of a mail?' }),
  second_factor: Type.Boolean({ description: 'Does a login need more than the password?' }),
  must_change_password: Type.Boolean({ description: 'May it sign in with a new password alone?' }),
  last_sign_in_at: Type.Optional(Type.String({ format: 'date-time' })),
  removed_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'When the closed account is removed for good, which is to come.',
    }),
  ),
};

const ListedUser = Type.Object(
  { ...User.properties, ...Type.Partial(Type.Object(ofAdmins)).properties },
  {
    $id: 'ListedUser',
    description: 'A user in a list. Members beyond the first four are there with `view=admin` alone.',
  },
);
export type ListedUser = Static<typeof ListedUser>;

export const UserPage = PageOf('UserPage', ListedUser);

/** What any list of users takes; admin-contract.ts has the rest. */
export const UserQuery = Type.Object({
  ...PageQuery,
  keyword: keywordQuery('A part of the user name or the e-mail address, in any case.'),
});

/** A user as others see it beside a login or a content item. */
export const UserReference = Type.Object(
  { id: Type.Integer({ minimum: 1, examples: [1] }), username: Type.String({ examples: ['ada'] }) },
  { $id: 'UserReference', description: 'A user, by id and name.' },
);

/** The row of a user as the contract shows it. */
export function toUser(row: UserRow): User {
  // Named one by one: spreading the rows of a page costs more than all else that is done with them.
  const { id, username, email, created_at } = row;
  return { id, username, email, created_at: isoTime(created_at) };
}
