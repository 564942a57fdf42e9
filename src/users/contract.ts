import { type Static, Type } from 'typebox';
import type { UserRow } from '../accounts/tables.ts';
import { ACCOUNT_STATES, ROLES, type Role } from '../domain/account.ts';
import { isoTime } from '../domain/time.ts';
import { keywordQuery, PageOf, PageQuery } from '../http/paging.ts';

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

/** What administrators see of an account beside; absent in any other list. */
export const ofAdmins = {
  role: Type.Enum(ROLES, { type: 'string', description: 'What the account may do.' }),
  state: Type.Enum(ACCOUNT_STATES, {
    type: 'string',
    description: 'Nobody signs in to one that is not active.',
  }),
  must_change_password: Type.Boolean({ description: 'May it sign in with a new password alone?' }),
  last_sign_in_at: Type.Optional(Type.String({ format: 'date-time' })),
  closes_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'When the closed account is removed.' }),
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

/** The caller's own account. */
export const Me = Type.Object(
  { ...User.properties, role: Type.Enum(ROLES, { description: 'What the account may do.' }) },
  { $id: 'Me', description: 'The account of the caller.' },
);
export type Me = Static<typeof Me>;

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

/** The row of the caller's own account as the contract shows it. */
export function toMe(row: UserRow & { readonly role: Role }): Me {
  return { ...toUser(row), role: row.role };
}
