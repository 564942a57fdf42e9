import { type Static, Type } from 'typebox';
import { CLOSING_CONTENT, ROLES } from '../domain/account.ts';
import { isoTime } from '../domain/time.ts';
import { keywordQuery, PageQuery } from '../http/paging.ts';
import { CURSOR, WalkablePageOf } from '../http/walking.ts';
import type { Section } from '../services/personal-data.ts';
import { rulesFor, schemasFor, showTo } from '../store/fields.ts';
import { ACCOUNT_FIELDS, exportedAccount } from './fields.ts';
import type { MeRow } from './me.ts';

/** A user as lists show it; times are ISO 8601 in UTC. */
export const User = Type.Object(schemasFor(ACCOUNT_FIELDS, 'everybody', Type), {
  $id: 'User',
  description: 'A user.',
});
export type User = Static<typeof User>;

/** The row of a user as the contract shows it. */
export const toUser = showTo(ACCOUNT_FIELDS, 'everybody');

/** An account as admins see it. */
export const membersForAdmins = {
  ...schemasFor(ACCOUNT_FIELDS, 'admins', Type),
  // The document says here what it leaves out elsewhere: that a role is a text.
  role: Type.Enum(ROLES, { type: 'string', description: 'What the account may do.' }),
};

const ListedUser = Type.Object(
  { ...Type.Partial(Type.Object(membersForAdmins)).properties, ...User.properties },
  {
    $id: 'ListedUser',
    description: 'A user in a list. Members beyond the first four are there only with `view=admin`.',
  },
);

export const UserPage = WalkablePageOf('UserPage', ListedUser, 'In the order of `sort`');

/** What any list of users takes; admin-contract.ts has the rest. */
export const UserQuery = Type.Object({
  ...PageQuery,
  cursor: CURSOR,
  keyword: keywordQuery('A part of the user name or the e-mail address, in any case.'),
});

const changeable = rulesFor(ACCOUNT_FIELDS, 'owner', Type);

export const MeChange = Type.Object(changeable, {
  $id: 'MeChange',
  description:
    'The members to change; at least one. The others stay as they are. As JSON they have at most 1,000 brackets and commas.',
  examples: [{ display_name: 'Ada Lovelace' }],
  // As `ContentChange` has it, and for the same reasons.
  allOf: [{ anyOf: Object.keys(changeable).map((name) => ({ required: [name] })) }],
});

/** The caller's own account. */
export const Me = Type.Object(
  {
    ...schemasFor(ACCOUNT_FIELDS, 'owner', Type),
    pending_email_change: Type.Optional(
      Type.Object(
        {
          email: Type.String({
            description: 'The address that the account will have.',
            examples: ['ada@example.com'],
          }),
          expires_at: Type.String({ format: 'date-time', description: 'When its last link ends.' }),
        },
        { description: 'A change of the address that waits for the link of its mail.' },
      ),
    ),
  },
  { $id: 'Me', description: 'The account of the caller. What was not set is absent.' },
);

const toOwner = showTo(ACCOUNT_FIELDS, 'owner');

/** The row of the caller's own account as the contract shows it. */
export function toMe(row: MeRow): Static<typeof Me> {
  const { new_email: email, new_email_until: until } = row;
  const isChanging = email !== null && until !== null;
  return {
    ...toOwner(row),
    ...(isChanging && { pending_email_change: { email, expires_at: isoTime(until) } }),
  };
}

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

/** The document of an export: a list for each section. */
export function accountExport(sections: readonly Section[]) {
  const items = Type.Array(Type.Object({}, { additionalProperties: true }));
  return Type.Object(
    {
      exported_at: Type.String({ format: 'date-time' }),
      account: Type.Object(exportedAccount.schemas(Type)),
      ...Object.fromEntries(sections.map(({ name, description }) => [name, { ...items, description }])),
    },
    { $id: 'AccountExport', description: 'Everything about an account.' },
  );
}
