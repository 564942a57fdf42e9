import { type Static, Type } from 'typebox';
import { SCOPES } from '../domain/account.ts';
import { isoTime } from '../domain/time.ts';
import { PageOf } from '../http/paging.ts';
import { Name } from '../sessions/name-contract.ts';
import type { PersonalTokenRow } from './list.ts';

const Scope = Type.Enum(SCOPES, {
  type: 'string',
  description: '`read` for what changes nothing, `write` for all that programs may do.',
});

export const PersonalTokenInput = Type.Object(
  {
    name: Name,
    scope: Scope,
    expires_in_days: Type.Integer({
      minimum: 1,
      maximum: 365,
      description: 'Days until the token ends.',
      examples: [90],
    }),
  },
  { $id: 'PersonalTokenInput', description: 'A personal access token to be made.' },
);

export const PersonalToken = Type.Object(
  {
    id: Type.String({ examples: ['PGv5TVfQ0p8'] }),
    name: Name,
    scope: Scope,
    created_at: Type.String({ format: 'date-time' }),
    expires_at: Type.String({ format: 'date-time' }),
    last_used_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'To the minute, and some minutes late.' }),
    ),
  },
  {
    $id: 'PersonalToken',
    description:
      'A personal access token, for a program, without the secret. One that was never used has no last use.',
  },
);

export const IssuedPersonalToken = Type.Object(
  {
    ...PersonalToken.properties,
    token: Type.String({
      description: 'The secret: "Authorization: Bearer <token>". It is shown this once.',
    }),
  },
  { $id: 'IssuedPersonalToken', description: 'A new personal access token.' },
);

export const PersonalTokenPage = PageOf('PersonalTokenPage', PersonalToken, 'Newest first');

/** The row of a token as the contract shows it. */
export function toPersonalToken(row: PersonalTokenRow): Static<typeof PersonalToken> {
  const { id, name, scope, created_at, absolute_expires_at, last_used_at } = row;
  return {
    id,
    name,
    scope,
    created_at: isoTime(created_at),
    expires_at: isoTime(absolute_expires_at),
    ...(last_used_at !== null && { last_used_at: isoTime(last_used_at) }),
  };
}
