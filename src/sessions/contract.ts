import { type Static, Type } from 'typebox';
import { isoTime } from '../domain/time.ts';
import { PageOf } from '../http/paging.ts';
import type { SessionRow } from './list.ts';
import { Name } from './name-contract.ts';

/** The `id` of a path, as `newRandomId` makes it. It is no secret. */
export const RandomIdParams = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{11}$', description: 'Identifier.' }),
});

/** The member by which the body of any sign-in asks for the cookie (`answerSignIn`). */
export const RefreshTokenIn = Type.Optional(
  Type.Enum(['body', 'cookie'], {
    type: 'string',
    description:
      'Where the answer has the refresh token: in the body (as without this member), or in a cookie that page scripts cannot read.',
  }),
);

/** A user as others see it beside a login or a content item. */
export const UserReference = Type.Object(
  { id: Type.Integer({ minimum: 1, examples: [1] }), username: Type.String({ examples: ['ada'] }) },
  { $id: 'UserReference', description: 'A user, by id and name.' },
);

export const LoginResult = Type.Object(
  {
    token: Type.String({ description: 'The access token, a signed JWT: "Authorization: Bearer <token>".' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds that the access token lives.', examples: [900] }),
    refresh_token: Type.Optional(
      Type.String({
        description: 'Good for one refresh, which answers with the next one. Absent where the cookie has it.',
      }),
    ),
    refresh_expires_in: Type.Integer({
      description: 'Seconds that the refresh token lives when it is not used.',
      examples: [1_209_600],
    }),
    user: UserReference,
  },
  { $id: 'LoginResult', description: 'The tokens of a session.' },
);
/** As a sign-in makes it, before `answerSignIn` may put the refresh token into the cookie. */
export type LoginResult = Required<Static<typeof LoginResult>>;

/** Where the tokens of an answer lead. */
export const refreshLink = {
  200: {
    refresh: {
      operationId: 'refresh',
      description: 'Before the access token expires: "Authorization: Bearer <data.refresh_token>".',
    },
  },
};

export const Session = Type.Object(
  {
    id: Type.String({ examples: ['PGv5TVfQ0p8'] }),
    name: Type.Optional(Name),
    device: Type.Optional(
      Type.String({
        maxLength: 256,
        description:
          'What the client told of itself at the sign-in (User-Agent); anybody can claim anything.',
      }),
    ),
    created_at: Type.String({ format: 'date-time' }),
    last_used_at: Type.String({ format: 'date-time', description: 'The sign-in, or the last refresh.' }),
    address: Type.Optional(
      Type.String({
        description: 'Where the sign-in or the last refresh came from.',
        examples: ['203.0.113.7'],
      }),
    ),
    current: Type.Boolean({ description: 'Is this the session that asks?' }),
  },
  { $id: 'Session', description: 'A session of an account. What is not known is absent.' },
);
type Session = Static<typeof Session>;

export const SessionPage = PageOf('SessionPage', Session, 'Newest first');

/** The row of a session as the contract shows it; `current` is the id of the session that asks. */
export function toSession(row: SessionRow, current: string): Session {
  const { id, label, device, address } = row;
  return {
    id,
    ...(label !== null && { name: label }),
    ...(device !== null && { device }),
    created_at: isoTime(row.created_at),
    last_used_at: isoTime(row.rotated_at),
    ...(address !== null && { address }),
    current: id === current,
  };
}

export const EndedSessions = Type.Object({
  ended: Type.Integer({ minimum: 0, description: 'How many sessions and personal access tokens ended.' }),
});

const Jwk = Type.Object(
  {
    kty: Type.String({ examples: ['OKP'] }),
    crv: Type.String({ examples: ['Ed25519'] }),
    x: Type.String({ description: 'The public key.' }),
    kid: Type.String({ description: 'Names the key; a token has it in its header.' }),
    alg: Type.String({ examples: ['EdDSA'] }),
    use: Type.String({ examples: ['sig'] }),
  },
  { $id: 'Jwk', description: 'A public key (RFC 7517 and RFC 8037).' },
);

export const JwkSet = Type.Object({ keys: Type.Array(Jwk) }, { $id: 'JwkSet', description: 'A JWK set.' });
