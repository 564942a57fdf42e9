import { type Static, Type } from 'typebox';
import type { UserRow } from '../accounts/tables.ts';
import { ROLES, type Role } from '../domain/account.ts';
import { DISPLAY_NAME_LENGTH, refusalOfName } from '../domain/name.ts';
import { isoTime } from '../domain/time.ts';
import type { Formats } from '../http/validation.ts';
import { ofAdmins, toUser, User, Username } from './contract.ts';

export const userFormats: Formats = {
  'display-name': {
    validate: (text) => refusalOfName(text, DISPLAY_NAME_LENGTH.max) === undefined,
    must: (text) => refusalOfName(text, DISPLAY_NAME_LENGTH.max) ?? '',
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
    email_verified: ofAdmins.email_verified,
    second_factor: ofAdmins.second_factor,
    display_name: Type.Optional(Type.String({ description: 'Shown to the owner alone.' })),
    profile: Type.Optional(Profile),
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
  {
    $id: 'Me',
    description: 'The account of the caller. What was not set is absent.',
  },
);
export type Me = Static<typeof Me>;

export interface MeRow extends UserRow {
  readonly role: Role;
  readonly email_verified_at: number | null;
  readonly second_factor: 0 | 1;
  readonly display_name: string | null;
  readonly profile: string | null;
  /** The address that waits for its link, and until when. */
  readonly new_email: string | null;
  readonly new_email_until: number | null;
}

/** The row of the caller's own account as the contract shows it. */
export function toMe(row: MeRow): Me {
  const { role, email_verified_at, second_factor, display_name, profile, new_email, new_email_until } = row;
  return {
    ...toUser(row),
    role,
    email_verified: email_verified_at !== null,
    second_factor: second_factor === 1,
    ...(display_name !== null && { display_name }),
    ...(profile !== null && { profile: JSON.parse(profile) as object }),
    ...(new_email !== null &&
      new_email_until !== null && {
        pending_email_change: { email: new_email, expires_at: isoTime(new_email_until) },
      }),
  };
}
