import { type Static, Type } from 'typebox';
import { isoTime } from '../domain/time.ts';

/** A user as lists show it; times are ISO 8601 in UTC. */
export const User = Type.Object(
  {
    id: Type.Integer({ minimum: 1 }),
    username: Type.String(),
    email: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
  },
  { description: 'A user.' },
);
export type User = Static<typeof User>;

/** A user as others see it beside a login or a content item. */
export const UserReference = Type.Object({ id: Type.Integer({ minimum: 1 }), username: Type.String() });

/** The row of a user as the contract shows it. */
export function toUser(row: { id: number; username: string; email: string; created_at: number }): User {
  // Named one by one: spreading the rows of a page costs more than all else that is done with them.
  const { id, username, email, created_at } = row;
  return { id, username, email, created_at: isoTime(created_at) };
}
