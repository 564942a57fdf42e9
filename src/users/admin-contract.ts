import { type Static, Type } from 'typebox';
import { ACCOUNT_STATES, ROLES } from '../domain/account.ts';
import { isoTime } from '../domain/time.ts';
import type { Formats } from '../http/validation.ts';
import { type ListedUser, ofAdmins, toUser, User } from './contract.ts';
import { type AdminRow, SORTS } from './list-for-admins.ts';

/** RFC 3339, as `Date` reads it. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

export const usersFormats: Formats = {
  'date-time': {
    validate: (text) => MOMENT.test(text) && !Number.isNaN(Date.parse(text)),
    must: 'must be a time like 2030-01-31T12:00:00Z',
  },
};

export const AdminUser = Type.Object(
  { ...User.properties, ...ofAdmins },
  {
    $id: 'AdminUser',
    description:
      'A user as administrators see them. Who never signed in has no last sign-in, and who is not closed has no time of closing.',
  },
);
export type AdminUser = Static<typeof AdminUser>;

const changes = {
  role: Type.Enum(ROLES, { description: 'What the account may do.' }),
  disabled: Type.Boolean({ description: 'True ends all sessions and refuses sign-ins, false allows them.' }),
  must_change_password: Type.Boolean({
    description:
      'True ends all sessions, and the account signs in again with a new password alone, which its owner chooses by a link of a mail.',
  }),
};

export const AdminUserChange = Type.Partial(Type.Object(changes), {
  $id: 'AdminUserChange',
  description: 'The members to change; at least one. The others stay as they are.',
  allOf: [{ anyOf: Object.keys(changes).map((name) => ({ required: [name] })) }],
});
export type AdminUserChange = Static<typeof AdminUserChange>;

const moment = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));

/** The parameters of the list that go with `view=admin`. */
export const AdminQuery = {
  view: Type.Optional(
    Type.Literal('admin', {
      type: 'string',
      description:
        'The list of administrators: it has closed accounts too, items have more members, and the parameters below count. The keyword finds accounts that are not closed alone.',
    }),
  ),
  role: Type.Optional(Type.Enum(ROLES, { type: 'string', description: 'With `view=admin`.' })),
  state: Type.Optional(Type.Enum(ACCOUNT_STATES, { type: 'string', description: 'With `view=admin`.' })),
  created_after: moment('Registered then or later. With `view=admin`.'),
  created_before: moment('Registered earlier than that. With `view=admin`.'),
  last_sign_in_after: moment('Signed in for the last time then or later. With `view=admin`.'),
  last_sign_in_before: moment(
    'Signed in for the last time earlier than that; who never did is not among them. With `view=admin`.',
  ),
  sort: Type.Optional(
    Type.Enum(SORTS, {
      type: 'string',
      description: 'The order, by id unless told; "-" is for the other direction. With `view=admin`.',
    }),
  ),
};

type AdminParameters = Static<ReturnType<typeof Type.Object<typeof AdminQuery>>>;

/** The row of an account as administrators see it. */
export function toAdminUser(row: AdminRow): AdminUser & ListedUser {
  const { role, must_change_password, last_sign_in_at, closes_at } = row;
  return {
    ...toUser(row),
    role,
    state: stateOf(row),
    must_change_password: must_change_password === 1,
    ...(last_sign_in_at !== null && { last_sign_in_at: isoTime(last_sign_in_at) }),
    ...(closes_at !== null && { closes_at: isoTime(closes_at) }),
  };
}

function stateOf({ closes_at, disabled_at }: AdminRow) {
  if (closes_at !== null) return 'closed';
  return disabled_at === null ? 'active' : 'disabled';
}

/** Without `view=admin` these parameters are none that the list knows: whatever they are, it ignores them. */
export function ignoreAdminQuery(
  { query }: { readonly query: unknown },
  _reply: unknown,
  done: () => void,
): void {
  const sent = query as Record<string, unknown>;
  if (sent.view !== 'admin') for (const name of Object.keys(AdminQuery)) delete sent[name];
  done();
}

/** What the parameters ask for. */
export function adminQuery(asked: AdminParameters) {
  const { role, state, sort = 'id' } = asked;
  return {
    role,
    state,
    sort,
    createdAfter: momentOf(asked.created_after),
    createdBefore: momentOf(asked.created_before),
    lastSignInAfter: momentOf(asked.last_sign_in_after),
    lastSignInBefore: momentOf(asked.last_sign_in_before),
  };
}

/** Milliseconds since 1970 of a text of the format. */
function momentOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
