import { type Static, Type } from 'typebox';
import type { UserRow } from '../accounts/tables.ts';
import { ROLES, type Role } from '../domain/account.ts';
import { refusalOfName } from '../domain/name.ts';
import type { Formats } from '../http/validation.ts';
import { ofAdmins, toUser, User, Username } from './contract.ts';

const MOST = 50;

export const userFormats: Formats = {
  'display-name': {
    validate: (text) => refusalOfName(text, MOST) === undefined,
    must: (text) => refusalOfName(text, MOST) ?? '',
  },
};

const Profile = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'Whatever an app keeps for its user: a JSON object of at most 8 KiB.',
    examples: [{ theme: 'dark' }],
  },
);

const members = {
  username: Type.Optional(Username),
  display_name: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'display-name',
      description:
        '0-50 characters without line breaks, and without invisible ones but for the joiners that a script or an emoji needs; empty or null takes it away.',
      examples: ['Ada Lovelace'],
    }),
  ),
  profile: Type.Optional(Profile),
};

export const MeChange = Type.Object(members, {
  $id: 'MeChange',
  description: 'The members to change; at least one. The others stay as they are.',
  // As `ContentChange` has it, and for the same reasons.
  allOf: [{ anyOf: Object.keys(members).map((name) => ({ required: [name] })) }],
});
export type MeChange = Static<typeof MeChange>;

/** The caller's own account. */
export const Me = Type.Object(
  {
    ...User.properties,
    role: Type.Enum(ROLES, { description: 'What the account may do.' }),
    email_verified: Type.Optional(ofAdmins.email_verified),
    second_factor: Type.Optional(ofAdmins.second_factor),
    display_name: Type.Optional(Type.String({ description: 'Shown to the owner alone.' })),
    profile: Type.Optional(Profile),
  },
  {
    $id: 'Me',
    description: 'The account of the caller. What was not set is absent, and so is what is false.',
  },
);
export type Me = Static<typeof Me>;

export interface MeRow extends UserRow {
  readonly role: Role;
  readonly email_verified_at: number | null;
  readonly second_factor: 0 | 1;
  readonly display_name: string | null;
  readonly profile: string | null;
}

/** The row of the caller's own account as the contract shows it. */
export function toMe(row: MeRow): Me {
  const { role, email_verified_at, second_factor, display_name, profile } = row;
  return {
    ...toUser(row),
    role,
    ...(email_verified_at !== null && { email_verified: true }),
    ...(second_factor === 1 && { second_factor: true }),
    ...(display_name !== null && { display_name }),
    ...(profile !== null && { profile: JSON.parse(profile) as object }),
  };
}
