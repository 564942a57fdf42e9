import type { Generated } from 'kysely';
import type { Type } from 'typebox';
import { ACCOUNT_STATES, type ClosingContent, ROLES, type Role } from '../domain/account.ts';
import { PASSWORD_LENGTH } from '../domain/password.ts';
import { isoTime } from '../domain/time.ts';
import { column, field, integer, optionalInteger, optionalText, text } from '../store/field.ts';
import type { ColumnsSetBy } from '../store/field-types.ts';
import { columnsGiven } from '../store/fields.ts';
import { carriedFields } from '../store/fields-carried.ts';
import { exportOf } from '../store/fields-export.ts';
import { profileText } from './profile.ts';

type T = typeof Type;
const EVERYBODY = ['everybody', 'owner', 'admins'] as const;
const flag = column<Generated<0 | 1>>();

const username = (t: T) =>
  t.String({
    format: 'username',
    description:
      '3-20 letters, marks and digits of any one script, "_", "." and "-", with a letter or digit and without a dot at an end. Japanese, Chinese and Korean may have Latin letters beside their own. Unique in any spelling, and beyond ASCII by its looks too.',
    examples: ['ada'],
  });
const profile = (t: T) =>
  t.Optional(
    t.Object(
      {},
      {
        additionalProperties: true,
        description: 'Whatever an app keeps for its user: a JSON object of at most 8 KiB.',
        examples: [{ theme: 'dark' }],
      },
    ),
  );
const displayName = (t: T) =>
  t.Optional(
    t.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'display-name',
      description:
        '0-50 characters without line breaks, and without invisible ones but for the joiners that a script or an emoji needs; empty or null takes it away.',
      examples: ['Ada Lovelace'],
    }),
  );
const optionalTime = (t: T) => t.Optional(t.String({ format: 'date-time' }));
const time = (at: number | null) => (at === null ? undefined : isoTime(at));

/**
 * The fields of an account, in the order in which answers have them. What is read, shown, accepted, exported and imported
 * follows from here (store/fields.ts).
 *
 * - Readers: `everybody` sees users in lists, `owner` sees the own account, `admins` see every account.
 * - Setters: `registration` by the body that registers (waiting registrations and invitations carry it), `owner` by PUT
 *   /api/users/me, `admins` by PUT /api/users/{id} (with `setByVerb`, since each such change is recorded).
 * - A line of `stoa users import` has what registration or the owner sets, and the export has it too (`notImported`).
 */
export const ACCOUNT_FIELDS = {
  id: field({
    column: column<Generated<number>>()('id'),
    schema: (t: T) => t.Integer({ minimum: 1, examples: [1] }),
    shownTo: EVERYBODY,
  }),
  username: field({
    column: text('username'),
    schema: (t: T) => t.String({ examples: ['ada'] }),
    shownTo: EVERYBODY,
    setByVerb: { registration: username, owner: (t: T) => t.Optional(username(t)) },
  }),
  email: field({
    column: text('email'),
    schema: (t: T) => t.String({ examples: ['ada@example.org'] }),
    shownTo: EVERYBODY,
    setByVerb: {
      registration: (t: T) =>
        t.String({ format: 'email', description: 'Unique in any case.', examples: ['ada@example.org'] }),
      admins: (t: T) =>
        t.String({
          format: 'email',
          description:
            'The admin vouches for it: it counts as proved. The address before is told, and all mailed links of the account end.',
          examples: ['ada@example.org'],
        }),
    },
  }),
  password: field({
    column: text('password_hash'),
    setByVerb: {
      registration: (t: T) =>
        t.String({
          format: 'password',
          description: `${PASSWORD_LENGTH.min}-${PASSWORD_LENGTH.max} characters of any kind.`,
          examples: ['correct horse battery'],
        }),
    },
    notExported: 'It is a secret.',
  }),
  created_at: field({
    column: integer('created_at'),
    schema: (t: T) => t.String({ format: 'date-time' }),
    shownTo: EVERYBODY,
    toMember: isoTime,
  }),
  role: field({
    column: column<Role>()('role'),
    schema: (t: T) => t.Enum(ROLES, { description: 'What the account may do.' }),
    shownTo: ['owner', 'admins'],
    setByVerb: { admins: (t: T) => t.Enum(ROLES, { description: 'What the account may do.' }) },
  }),
  state: field({
    column: optionalInteger('closes_at'),
    beside: optionalInteger('disabled_at'),
    schema: (t: T) =>
      t.Enum(ACCOUNT_STATES, { type: 'string', description: 'Nobody signs in to one that is not active.' }),
    shownTo: ['admins'],
    toMember: (closesAt, disabledAt) => {
      if (closesAt !== null) return 'closed';
      return disabledAt === null ? 'active' : 'disabled';
    },
    notExported: 'Only an account that is active can be exported.',
  }),
  disabled: field({
    column: optionalInteger('disabled_at'),
    setByVerb: {
      admins: (t: T) =>
        t.Boolean({
          description:
            'True ends all sessions and personal access tokens and refuses sign-ins, false allows them.',
        }),
    },
    notExported: 'Only an account that is active can be exported.',
  }),
  email_verified: field({
    column: optionalInteger('email_verified_at'),
    schema: (t: T) =>
      t.Boolean({
        description:
          'Is the address proved? By a link that was mailed to it, or because an admin, a command, an import or a setup link vouched for it.',
      }),
    shownTo: ['owner', 'admins'],
    toMember: (at) => at !== null,
    exported: { schema: optionalTime, toMember: time },
  }),
  second_factor: field({
    column: flag('second_factor'),
    schema: (t: T) => t.Boolean({ description: 'Does a login need more than the password?' }),
    shownTo: ['owner', 'admins'],
    toMember: (has) => has === 1,
    notExported: 'The lists of second factors tell it.',
  }),
  must_change_password: field({
    column: flag('must_change_password'),
    schema: (t: T) =>
      t.Boolean({ description: 'Must the owner choose a new password before the next sign-in?' }),
    shownTo: ['admins'],
    toMember: (must) => must === 1,
    setByVerb: {
      admins: (t: T) =>
        t.Boolean({
          description:
            'True ends all sessions and personal access tokens, and mails the owner a link to choose a new password. Until the owner has chosen one, nobody signs in. True again mails another link. False withdraws the demand.',
        }),
    },
    notTold: 'The feed of changes does not tell of passwords.',
    notImported: 'An account that must change its password is exported as one that is disabled.',
    notExported: 'Nobody is signed in to an account that must change its password.',
  }),
  last_sign_in_at: field({
    column: optionalInteger('last_sign_in_at'),
    schema: optionalTime,
    shownTo: ['admins'],
    toMember: time,
  }),
  removed_at: field({
    column: optionalInteger('closes_at'),
    schema: (t: T) =>
      t.Optional(
        t.String({
          format: 'date-time',
          description: 'When the closed account is removed for good, which is to come.',
        }),
      ),
    shownTo: ['admins'],
    toMember: time,
    notExported: 'Only an account that is active can be exported.',
  }),
  display_name: field({
    column: optionalText('display_name'),
    schema: (t: T) => t.Optional(t.String({ description: 'Shown only to the owner.' })),
    shownTo: ['owner'],
    toMember: (name) => name ?? undefined,
    setBy: { owner: displayName },
    toColumn: (name) => name || null,
  }),
  profile: field({
    column: optionalText('profile'),
    schema: profile,
    shownTo: ['owner'],
    toMember: (json) => (json === null ? undefined : JSON.parse(json)),
    setBy: { owner: profile },
    toColumn: profileText,
  }),
  username_key: field({ column: text('username_key'), notExported: 'It follows from the user name.' }),
  email_key: field({ column: text('email_key'), notExported: 'It follows from the address.' }),
  visible: field({ column: flag('visible'), notExported: 'It says what lists show.' }),
  closing_content: field({
    column: column<ClosingContent | null>()('closing_content'),
    notExported: 'Only an account that is active can be exported.',
  }),
};

export type AccountFields = typeof ACCOUNT_FIELDS;
export const exportedAccount = exportOf(ACCOUNT_FIELDS);

/** What a line of an import has, but for the fields that it has ways of its own for. The setter is `import`. */
export const IMPORTED_FIELDS = carriedFields(
  ACCOUNT_FIELDS,
  ['owner', 'registration'],
  ['username', 'email', 'password', 'role', 'disabled'],
);
export type ImportedColumns = Partial<ColumnsSetBy<typeof IMPORTED_FIELDS, 'import'>>;

/** The columns that a registration fills, but for the name, the address and the password. */
export type RegisteredColumns = Partial<ColumnsSetBy<AccountFields, 'registration'>>;
/** Finds them in the body that registers. Fails with `validation_failed`. */
export const registeredColumns = columnsGiven(ACCOUNT_FIELDS, 'registration');
