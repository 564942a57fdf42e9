import { Type } from 'typebox';

/** The member by which the body of any sign-in asks for the cookie (`answerSignIn`). */
export const RefreshTokenIn = Type.Optional(
  Type.Enum(['body', 'cookie'], {
    type: 'string',
    description:
      'Where the answer has the refresh token: in the body (as without this member), or in a cookie that page scripts cannot read.',
  }),
);
