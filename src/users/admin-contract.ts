import { type Static, Type } from 'typebox';
import { ACCOUNT_STATES, ROLES } from '../domain/account.ts';
import { invalid } from '../domain/failure.ts';
import { isoTime } from '../domain/time.ts';
import { timeIn, timeQuery } from '../http/time-query.ts';
import { type ListedUser, ofAdmins, toUser, User } from './contract.ts';
import { type AdminRow, SORTS } from './list-for-admins.ts';

export const AdminUser = Type.Object(
  { ...User.properties, ...ofAdmins },
  {
    $id: 'AdminUser',
    description:
      'A user as admins see them. Who never signed in has no last sign-in, and an account that is not closed has no time of removal.',
  },
);
export type AdminUser = Static<typeof AdminUser>;

const changes = {
  role: Type.Enum(ROLES, { description: 'What the account may do.' }),
  disabled: Type.Boolean({
    description: 'True ends all sessions and personal access tokens and refuses sign-ins, false allows them.',
  }),
  must_change_password: Type.Boolean({
    description:
      'True ends all sessions and personal access tokens and mails the owner a link to choose a new password, with which alone the account signs in again. True once more mails another link.',
  }),
  email: Type.String({
    format: 'email',
    description:
      'The admin vouches for it: it counts as proved. The address before is told, and all mailed links of the account end.',
    examples: ['ada@example.org'],
  }),
};

export const AdminUserChange = Type.Partial(Type.Object(changes), {
  $id: 'AdminUserChange',
  description: 'The members to change; at least one. The others stay as they are.',
  allOf: [{ anyOf: Object.keys(changes).map((name) => ({ required: [name] })) }],
});
export type AdminUserChange = Static<typeof AdminUserChange>;

/** The parameters of the list that go with `view=admin`. */
export const AdminQuery = {
  view: Type.Optional(
    Type.Literal('admin', {
      type: 'string',
      description:
        'The list for admins: it has closed accounts too, items have more members, and the parameters below count. The keyword finds accounts that are not closed alone.',
    }),
  ),
  role: Type.Optional(Type.Enum(ROLES, { type: 'string', description: 'With `view=admin`.' })),
  state: Type.Optional(Type.Enum(ACCOUNT_STATES, { type: 'string', description: 'With `view=admin`.' })),
  email_verified: Type.Optional(
    Type.Enum(['true', 'false'], { type: 'string', description: 'With `view=admin`.' }),
  ),
  second_factor: Type.Optional(
    Type.Enum(['true', 'false'], { type: 'string', description: 'With `view=admin`.' }),
  ),
  created_after: timeQuery('Registered then or later. With `view=admin`.'),
  created_before: timeQuery('Registered earlier than that. With `view=admin`.'),
  last_sign_in_after: timeQuery('Signed in for the last time then or later. With `view=admin`.'),
  last_sign_in_before: timeQuery(
    'Signed in for the last time earlier than that; who never did is not among them. With `view=admin`.',
  ),
  sort: Type.Optional(
    Type.Enum(SORTS, {
      type: 'string',
      description:
        'The order, by id by default; "-" is for the other direction. Ignored without `view=admin`.',
    }),
  ),
};

type AdminParameters = Static<ReturnType<typeof Type.Object<typeof AdminQuery>>>;

/** The row of an account as admins see it. */
export function toAdminUser(row: AdminRow): AdminUser & ListedUser {
  const { role, email_verified_at, second_factor, must_change_password, last_sign_in_at, closes_at } = row;
  return {
    ...toUser(row),
    role,
    state: stateOf(row),
    email_verified: email_verified_at !== null,
    second_factor: second_factor === 1,
    must_change_password: must_change_password === 1,
    ...(last_sign_in_at !== null && { last_sign_in_at: isoTime(last_sign_in_at) }),
    ...(closes_at !== null && { removed_at: isoTime(closes_at) }),
  };
}

function stateOf({ closes_at, disabled_at }: AdminRow) {
  if (closes_at !== null) return 'closed';
  return disabled_at === null ? 'active' : 'disabled';
}

/**
 * Without `view=admin` a filter fails with `validation_failed`: a client that asks for some and gets all would not notice.
 * An order is ignored, as any name is that the list did not know before it had this view.
 */
export function requireAdminView(
  { query }: { readonly query: unknown },
  _reply: unknown,
  done: (error?: Error) => void,
): void {
  const sent = query as Record<string, unknown>;
  const isWithout = sent.view === undefined;
  if (isWithout) delete sent.sort;
  const [first, ...others] = Object.keys(AdminQuery)
    .filter((name) => isWithout && sent[name] !== undefined)
    .map((field) => ({ field, rule: 'view', message: `${field} counts with view=admin only; add that.` }));
  done(first && invalid([first, ...others]));
}

/** What the parameters ask for. */
export function adminQuery(asked: AdminParameters) {
  const { role, state, email_verified, second_factor, sort = 'id' } = asked;
  return {
    role,
    state,
    sort,
    emailVerified: email_verified && email_verified === 'true',
    secondFactor: second_factor && second_factor === 'true',
    createdAfter: timeIn(asked.created_after),
    createdBefore: timeIn(asked.created_before),
    lastSignInAfter: timeIn(asked.last_sign_in_after),
    lastSignInBefore: timeIn(asked.last_sign_in_before),
  };
}
