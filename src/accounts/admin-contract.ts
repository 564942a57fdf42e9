import { type Static, Type } from 'typebox';
import { ACCOUNT_STATES, ROLES } from '../domain/account.ts';
import { invalid } from '../domain/failure.ts';
import { OpenEnum } from '../http/open-enum.ts';
import { timeQuery } from '../http/time-query.ts';
import { refusalOfUnknown } from '../http/unknown-names.ts';
import { rulesFor, showTo } from '../store/fields.ts';
import { membersForAdmins, UserQuery } from './contract.ts';
import { ACCOUNT_FIELDS } from './fields.ts';
import { WHY_NOT } from './why-not.ts';

export const AdminUser = Type.Object(membersForAdmins, {
  $id: 'AdminUser',
  description:
    'A user as admins see them. Who never signed in has no last sign-in, and an account that is not closed has no time of removal.',
});

const { email, ...others } = rulesFor(ACCOUNT_FIELDS, 'admins', Type);
const changes = { ...others, email };

export const AdminUserChange = Type.Partial(Type.Object(changes), {
  $id: 'AdminUserChange',
  description: 'The members to change; at least one. The others stay as they are.',
  examples: [{ role: 'editor' }],
  allOf: [{ anyOf: Object.keys(changes).map((name) => ({ required: [name] })) }],
});

const given = Type.Partial(Type.Object({ role: changes.role, disabled: changes.disabled }), {
  additionalProperties: false,
  minProperties: 1,
  description: 'The members to change; at least one.',
});
/** What can be changed of many accounts at once. */
export type RoleOrAccess = Static<typeof given>;

/** Accounts in one request. */
const MOST = 100;

export const UserBulk = Type.Object(
  {
    ids: Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
      minItems: 1,
      maxItems: MOST,
      uniqueItems: true,
      description: 'The accounts.',
    }),
    change: given,
  },
  { $id: 'UserBulk', examples: [{ ids: [7, 8], change: { role: 'member' } }] },
);

const result = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  error: Type.Optional(
    OpenEnum(WHY_NOT, 'Why the account was not changed. Absent where it is as it was asked for.'),
  ),
  message: Type.Optional(Type.String({ description: 'The same for people.' })),
});
export type ManyResult = Static<typeof result>;

export const UserBulkDone = Type.Object(
  { results: Type.Array(result, { description: 'One for each account, in the same order.' }) },
  { $id: 'UserBulkDone', description: 'What came of each account.' },
);

const SORTED = ['id', 'username', 'created_at', 'last_sign_in_at'] as const;
const SORTS = SORTED.flatMap((name) => [name, `-${name}`] as const);
export type Sort = (typeof SORTS)[number];

/** The parameters of the list that go with `view=admin`. */
export const AdminQuery = {
  view: Type.Optional(
    Type.Literal('admin', {
      type: 'string',
      description:
        'The list for admins: it has closed accounts too, items have more members, and the parameters below count. The keyword finds only accounts that are not closed. An unknown parameter is refused.',
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

export type AdminParameters = Static<ReturnType<typeof Type.Object<typeof AdminQuery>>>;

/** The row of an account as admins see it. */
export const toAdminUser = showTo(ACCOUNT_FIELDS, 'admins');

const KNOWN = new Set([...Object.keys(UserQuery.properties), ...Object.keys(AdminQuery)]);

/**
 * A filter without `view=admin` and an unknown name with it fail with `validation_failed`: a client that asks for some and
 * gets all would not notice. An order without the view is ignored, as any name is that the list did not know before it had
 * this view.
 */
export function requireAdminView(
  { query }: { readonly query: unknown },
  _reply: unknown,
  done: (error?: Error) => void,
): void {
  const sent = query as Record<string, unknown>;
  if (sent.view !== undefined) {
    done(refusalOfUnknown('querystring', sent, KNOWN));
    return;
  }
  delete sent.sort;
  const [first, ...others] = Object.keys(AdminQuery)
    .filter((name) => sent[name] !== undefined)
    .map((field) => ({ field, rule: 'view', message: `${field} counts with view=admin only; add that.` }));
  done(first && invalid([first, ...others]));
}
